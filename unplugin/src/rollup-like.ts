import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FluePlugin, resolvedId } from './plugin.ts';
import { MANIFEST_FILE } from './virtual-modules.ts';

const SERVER = resolvedId('virtual:flue/server');

/** What Rollup, Rolldown and Vite hand to the hooks that are used here. */
interface HookContext {
  getModuleIds(): Iterable<string>;
  getModuleInfo(
    id: string,
  ): { readonly importers: readonly string[]; readonly dynamicImporters: readonly string[] } | null;
  error(problem: string): never;
}

interface Bundle {
  readonly [file: string]: { readonly type: string; readonly facadeModuleId?: string | null };
}

/** The manifest, beside the server that a bundle holds (EMIT-11). */
export function writeManifest(plugin: FluePlugin, dir: string | undefined, bundle: Bundle): void {
  const manifest = plugin.manifest();
  const serves = Object.values(bundle).some(
    (file) => file.type === 'chunk' && file.facadeModuleId === SERVER,
  );
  if (dir && manifest && serves) writeFileSync(join(dir, MANIFEST_FILE), manifest);
}

/** Fails a build for browsers that reaches an agent module, once all imports are known (BIND-09). */
export function refuseAgents(plugin: FluePlugin, context: HookContext): void {
  const reached = [...context.getModuleIds()].filter(plugin.isAgentModule);
  const problem = plugin.refuseInBrowser(reached, (id) => {
    const info = context.getModuleInfo(id);
    return info ? [...info.importers, ...info.dynamicImporters] : [];
  });
  if (problem !== undefined) context.error(problem);
}
