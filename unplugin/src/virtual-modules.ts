import { relative, sep } from 'node:path';
import type { Builds, Built } from '@flue/compiler';

/**
 * What packaged skills import. They may lie in a package that does not depend on the runtime, so that it is found from the
 * project, as everything is that a virtual module imports.
 */
export const SKILL_SUPPORT = 'virtual:flue/skill-support';

/** Ids that an application imports, and our own; `\0` keeps other plugins away from what they resolve to. */
export const VIRTUAL = [
  'virtual:flue/agents',
  'virtual:flue/app',
  'virtual:flue/db',
  'virtual:flue/server',
  SKILL_SUPPORT,
] as const;
export type VirtualId = (typeof VIRTUAL)[number];

export function isVirtual(id: string): id is VirtualId {
  return (VIRTUAL as readonly string[]).includes(id);
}

/** The file that the build writes beside the server (EMIT-11). */
export const MANIFEST_FILE = 'manifest.json';

/** Text of a virtual module (EMIT-10), or a message for the author when the project lacks what it needs. */
export async function virtualModule(
  id: VirtualId,
  project: Built['project'],
  builds: Builds,
): Promise<{ code: string } | { problem: string }> {
  switch (id) {
    case 'virtual:flue/agents':
      return { code: await builds.registration((module) => posix(`${project.root}/${module}`)) };
    case 'virtual:flue/app':
      if (!project.app)
        return {
          problem: `No app entry: create ${posix(relative(project.root, project.sourceRoot))}/app.ts exporting a Hono app or any object with fetch().`,
        };
      return { code: `export { default } from ${quoted(project.app)};\n` };
    case 'virtual:flue/db':
      return {
        code: project.db ? `export { default } from ${quoted(project.db)};\n` : 'export default undefined;\n',
      };
    case 'virtual:flue/server':
      return { code: serverModule(project) };
    case SKILL_SUPPORT:
      return { code: "export { __fluePackageSkill } from '@flue/runtime';\n" };
  }
}

/**
 * The server's entry. Setup, agents, database and application are imported by functions, because the runtime evaluates them in
 * its own order (CFG-06, APP-04). Everything else is in the runtime, so what is generated stays small.
 */
function serverModule(project: Built['project']): string {
  const { execution, http, model } = project.config;
  const settings = Object.entries({ execution, http, model })
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `  ${key}: ${JSON.stringify(value)},`);
  return [
    "import { serve } from '@flue/runtime/node';",
    '',
    'await serve({',
    "  registration: () => import('virtual:flue/agents'),",
    `  manifestFile: new URL('./${MANIFEST_FILE}', import.meta.url),`,
    ...settings,
    ...(project.setup.length > 0
      ? [`  setup: [${project.setup.map((file) => `() => import(${quoted(file)})`).join(', ')}],`]
      : []),
    "  db: () => import('virtual:flue/db'),",
    "  app: () => import('virtual:flue/app'),",
    `  appFile: ${JSON.stringify(project.app ? posix(relative(project.root, project.app)) : 'app.ts')},`,
    '});',
    '',
  ].join('\n');
}

function quoted(file: string): string {
  return JSON.stringify(posix(file));
}

export function posix(path: string): string {
  return sep === '\\' ? path.replaceAll('\\', '/') : path;
}
