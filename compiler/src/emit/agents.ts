import type { Manifest } from '@flue/runtime/internal';
import { compareCodeUnits } from '@flue/runtime/internal';
import { GENERATED_NOTICE } from './compiler-version.ts';

/**
 * The registration module (REG-01): one namespace import per agent module, in path order, so that tree shaking keeps
 * every agent (REG-04). `specifierOf` says how the module is imported from where the text will stand.
 */
export function emitAgents(manifest: Manifest, specifierOf: (module: string) => string): string {
  const modules = [...new Set(manifest.agents.map(({ module }) => module))].sort(compareCodeUnits);
  const imports = modules.map(
    (module, index) => `import * as m${index} from ${JSON.stringify(specifierOf(module))};`,
  );
  const entries = manifest.agents.map(
    ({ identity, module, export: name }) =>
      `  { identity: ${JSON.stringify(identity)}, agent: m${modules.indexOf(module)}[${JSON.stringify(name)}] },`,
  );
  return [
    `// ${GENERATED_NOTICE}`,
    '/* eslint-disable */',
    '// @ts-nocheck',
    ...imports,
    '',
    'export const agents = [',
    ...entries,
    '];',
    '',
    `export const manifestHash = ${JSON.stringify(manifest.hash)};`,
    '',
  ].join('\n');
}
