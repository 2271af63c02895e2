import { relative } from 'node:path';

/** A module graph, as far as its bundler tells it. */
export type ImportersOf = (id: string) => readonly string[];

/** The shortest way from where the build begins to the module, itself last. */
function chainTo(id: string, importersOf: ImportersOf): string[] {
  const chains = new Map([[id, [id]]]);
  // A map hands out what is added while it is walked.
  for (const [from, chain] of chains) {
    const importers = importersOf(from);
    if (importers.length === 0) return chain;
    for (const importer of importers) if (!chains.has(importer)) chains.set(importer, [importer, ...chain]);
  }
  return chains.get(id)!;
}

/**
 * What to tell of a build for browsers that reaches agent modules (BIND-09): each with the imports that lead to it.
 * `undefined` when it reaches none.
 */
export function refusedInBrowser(
  reached: Iterable<string>,
  importersOf: ImportersOf,
  root: string,
): string | undefined {
  const shown = (id: string) => relative(root, id).replaceAll('\\', '/');
  const chains = [...reached].sort().map((id) => `  ${chainTo(id, importersOf).map(shown).join(' -> ')}`);
  if (chains.length === 0) return undefined;
  return [
    'Flue: this build is for browsers, and agents run on a server. It reaches an agent module through',
    ...chains,
    'Import the generated client there, or only types ("import type"); a build for a server has to say so (Vite: build.ssr; webpack, Rspack: target; esbuild, Rolldown: platform).',
  ].join('\n');
}
