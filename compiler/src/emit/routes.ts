import { compareCodeUnits, type Manifest } from '@flue/runtime/internal';
import { GENERATED_NOTICE } from './compiler-version.ts';

/**
 * `mountAgents` over the agents of the application (TRTE-02); importing it mounts nothing (TRTE-01). The hash is passed
 * on and not repeated, so that an edit of an agent's body leaves the file alone (REG-06, TCLI-16).
 */
export function emitRoutes(
  manifest: Manifest,
  agentsFile: string,
  specifierOf: (module: string) => string,
): string {
  const modules = [...new Set(manifest.agents.map(({ module }) => module))].sort(compareCodeUnits);
  return [
    `// ${GENERATED_NOTICE}`,
    '/* eslint-disable */',
    '// @ts-nocheck',
    "import { createMountAgents } from '@flue/runtime/routing';",
    ...modules.map((module, index) => `import * as m${index} from ${JSON.stringify(specifierOf(module))};`),
    '',
    `export { manifestHash } from ${JSON.stringify(specifierOf(agentsFile))};`,
    '',
    'export const mountAgents = createMountAgents({',
    ...manifest.agents.map(
      ({ accessor, module, export: name }) =>
        `  ${accessor}: m${modules.indexOf(module)}[${JSON.stringify(name)}],`,
    ),
    '});',
    '',
  ].join('\n');
}
