import type { TypeScript } from '@flue/compiler/analysis';
import type ts from 'typescript';
import { createChecker } from './checker.ts';
import { codeFixesFeature } from './features/code-fixes.ts';
import { diagnosticsFeature } from './features/diagnostics.ts';
import { createGuard } from './guard.ts';

/** tsserver asks again after each change of a tsconfig and hands over what we returned before. */
const decorated = new WeakSet<ts.server.Project>();

/** The language service with what Flue adds; everything else passes through untouched. */
export function decorate(api: TypeScript, info: ts.server.PluginCreateInfo): ts.LanguageService {
  if (decorated.has(info.project)) return info.languageService;
  decorated.add(info.project);

  const { languageService } = info;
  const log = (line: string) => info.project.projectService.logger.info(`flue: ${line}`);
  const checker = createChecker(api, info, log);
  const guard = createGuard(api, log);
  const added: Partial<ts.LanguageService> = {
    ...diagnosticsFeature(api, languageService, checker, guard),
    ...codeFixesFeature(api, languageService, checker, guard),
  };
  return new Proxy(languageService, {
    get: (target, name) => Reflect.get(Object.hasOwn(added, name) ? added : target, name),
  });
}
