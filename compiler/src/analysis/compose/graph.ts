import type { BindingId, Module, Value } from '../program.ts';
import type { NamespaceOf } from './term.ts';

/** What a name of a module stands for once imports and re-exports are followed. */
export type Target =
  | { readonly kind: 'binding'; readonly module: Module; readonly binding: BindingId }
  | { readonly kind: 'value'; readonly module: Module; readonly value: Value }
  | { readonly kind: 'api'; readonly name: string }
  | {
      readonly kind: 'external';
      readonly source: string;
      readonly name: string;
      readonly dependsOnFlue: boolean;
    }
  | { readonly kind: 'namespace'; readonly of: NamespaceOf }
  | { readonly kind: 'asset'; readonly path: string | undefined; readonly specifier: string }
  | { readonly kind: 'unresolved' };

/** Re-exports followed before a name counts as opaque (RULE-08). */
const MAX_HOPS = 16;
const UNRESOLVED: Target = { kind: 'unresolved' };

export interface Graph {
  readonly modules: ReadonlyMap<string, Module>;
  /** the target of an import, or of an export of another file */
  resolveImport(from: Module, specifier: string, name: string): Target;
  resolveExport(module: Module, name: string): Target;
}

export function buildGraph(modules: readonly Module[]): Graph {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const memo = new Map<string, Target>();

  function resolveImport(from: Module, specifier: string, name: string, hops = 0): Target {
    const resolution = from.resolutions[specifier];
    switch (resolution?.kind) {
      case 'project': {
        const module = byPath.get(resolution.path);
        if (!module || module.problems.length > 0) return UNRESOLVED;
        return name === '*'
          ? { kind: 'namespace', of: { kind: 'project', module } }
          : exportOf(module, name, hops);
      }
      case 'flue':
        return name === '*' || name === 'default'
          ? { kind: 'namespace', of: { kind: 'flue' } }
          : { kind: 'api', name };
      case 'valibot':
        return external('valibot', name, false);
      case 'package':
        return external(resolution.name, name, resolution.dependsOnFlue ?? false);
      case 'asset':
        return { kind: 'asset', path: resolution.path, specifier };
      default:
        return UNRESOLVED;
    }
  }

  function exportOf(module: Module, name: string, hops: number): Target {
    const key = `${module.path}\0${name}`;
    const known = memo.get(key);
    if (known) return known;
    if (hops > MAX_HOPS) return UNRESOLVED;
    memo.set(key, UNRESOLVED); // A circle of re-exports ends here.
    const target = findExport(module, name, hops);
    // Only what is found for good may be kept: a circle met half-way says nothing about the name itself.
    if (target.kind === 'unresolved') memo.delete(key);
    else memo.set(key, target);
    return target;
  }

  function findExport(module: Module, name: string, hops: number): Target {
    for (const entry of module.exports) {
      if (entry.kind === 'star' || entry.name !== name) continue;
      if (entry.kind === 'value') return { kind: 'value', module, value: entry.value };
      if (entry.kind === 'from') return resolveImport(module, entry.specifier, entry.imported, hops + 1);
      const binding = module.bindings[entry.binding]!;
      if (!binding.import) return { kind: 'binding', module, binding: binding.id };
      return resolveImport(module, binding.import.specifier, binding.import.name, hops + 1);
    }
    if (name === 'default') return UNRESOLVED;
    for (const entry of module.exports) {
      if (entry.kind !== 'star' || entry.typeOnly) continue;
      const target = resolveImport(module, entry.specifier, name, hops + 1);
      // `export *` of a package cannot be asked for its names; a Flue export is known by the table of hooks alone.
      if (target.kind !== 'unresolved' && target.kind !== 'external') return target;
    }
    return UNRESOLVED;
  }

  return {
    modules: byPath,
    resolveImport: (from, specifier, name) => resolveImport(from, specifier, name),
    resolveExport: (module, name) => exportOf(module, name, 0),
  };
}

function external(source: string, name: string, dependsOnFlue: boolean): Target {
  if (name === '*') return { kind: 'namespace', of: { kind: 'external', source, dependsOnFlue } };
  return { kind: 'external', source, name, dependsOnFlue };
}
