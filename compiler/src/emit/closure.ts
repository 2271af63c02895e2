import type { ModuleFact } from '../analysis/summary.ts';

/** What one module reaches by static, non-type imports, itself included; assets as they are imported. */
export function closureOf(
  path: string,
  modules: ReadonlyMap<string, ModuleFact>,
): { readonly modules: ReadonlySet<string>; readonly assets: ReadonlySet<string> } {
  const reached = new Set<string>();
  const assets = new Set<string>();
  const open = [path];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const module = modules.get(next);
    if (module === undefined || reached.has(next)) continue;
    reached.add(next);
    for (const asset of module.assets) assets.add(asset);
    open.push(...module.imports);
  }
  return { modules: reached, assets };
}
