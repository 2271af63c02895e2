import { resolve } from 'node:path';
import type { FlueProject } from '@flue/runtime/config';
import { openCacheFolder } from '../cache/cache-folder.ts';
import { type CheckOutcome, recallCheck, recordCheck } from '../cache/check-record.ts';
import { engineKey } from '../cache/engine-key.ts';
import type { Compilation, Compiler } from '../compile.ts';
import { openTrace } from '../project/disk.ts';
import { readSourceText } from '../project/source-text.ts';
import type { CheckSettings } from './check-settings.ts';

/** What a check of a whole project came to. */
export interface Examined extends CheckOutcome {
  /** the text that positions refer to */
  sourceText(path: string): string | undefined;
  /** keeps what was found for the next run; never throws (CACHE-05) */
  remember(): void;
}

type Asked = Pick<CheckSettings, 'severities' | 'frozen' | 'cache' | 'typing'>;

/** From the cache when nothing changed, and then without loading what looks at modules. */
export async function examine(project: FlueProject, asked: Asked): Promise<Examined> {
  const { cache, ...options } = asked;
  const cacheFolder = cache ? openCacheFolder(project.generatedDir) : undefined;
  if (cacheFolder === undefined) return examinedAfresh(await openChecking(project, asked));

  const question = { engine: engineKey(), project, options };
  const known = recallCheck(cacheFolder, question);
  if (known !== undefined) return examinedBefore(project, known);
  const tracer = openTrace();
  const checking = await openChecking(project, asked, { cacheFolder, tracer });
  const examined = await examinedAfresh(checking);
  return {
    ...examined,
    remember() {
      checking.compiler.saveFacts();
      // A rule that broke is to say so every time.
      if (examined.failures.length === 0) recordCheck(cacheFolder, question, tracer, examined);
    },
  };
}

function examinedBefore(project: FlueProject, known: CheckOutcome): Examined {
  return {
    ...known,
    sourceText: (path) => readSourceText(resolve(project.root, path))?.text,
    remember: () => {},
  };
}

async function examinedAfresh(checking: Checking): Promise<Examined> {
  return { ...outcomeOf(await checking.check()), remember: () => {} };
}

export function outcomeOf({
  diagnostics,
  failures,
  modules,
  agents,
  sourceText,
}: Compilation): Omit<Examined, 'remember'> {
  return { diagnostics, failures, files: modules.length, agents, sourceText };
}

/** A compiler, and how this command asks it. */
export interface Checking {
  readonly compiler: Compiler;
  compile(): Compilation;
  /** with what the project's runtime says of models */
  check(): Promise<Compilation>;
}

export async function openChecking(
  project: FlueProject,
  { severities, frozen, typing }: Asked,
  options: Parameters<typeof import('../compile.ts').openCompiler>[1] = {},
): Promise<Checking> {
  const { openCompiler } = await import('../compile.ts');
  const compiler = await openCompiler(project, options);
  const compile = () => compiler.compile({ severities, surroundings: { frozen }, typing });
  return {
    compiler,
    compile,
    async check() {
      const first = compile();
      // Most specifiers are right, so that nearly every check is done after one look.
      return (await compiler.lookUpModels()) ? compile() : first;
    },
  };
}
