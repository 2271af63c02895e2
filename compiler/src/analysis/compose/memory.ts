import type { Fn, Module } from '../program.ts';
import type { AgentFact } from '../summary.ts';
import type { Agent } from './agents.ts';
import type { Terms } from './evaluate.ts';
import type { FlowSummary } from './flow-types.ts';
import type { ModuleInventory } from './inventory.ts';

/**
 * What is known of each module once it has been composed. It rests on the module and on all that it imports, never on who
 * imports it, so it holds for as long as those are the same.
 *
 * M1  Nothing kept for a module mentions a module that it does not reach through imports.
 * M2  Nothing kept depends on the order in which questions were asked.
 */
export interface Memory {
  readonly terms: Map<Module, Terms>;
  readonly flows: Map<Module, Map<Fn, FlowSummary>>;
  readonly inventories: Map<Module, ModuleInventory>;
  /** rests on what other modules say of the agent as well */
  readonly facts: Map<Agent, AgentFact>;
}

export function emptyMemory(): Memory {
  return { terms: new Map(), flows: new Map(), inventories: new Map(), facts: new Map() };
}

/** The memory without these modules. */
export function memoryWithout(memory: Memory, stale: ReadonlySet<Module>): Memory {
  const kept = <V>(map: ReadonlyMap<Module, V>): Map<Module, V> => {
    const copy = new Map(map);
    for (const module of stale) copy.delete(module);
    return copy;
  };
  return {
    terms: kept(memory.terms),
    flows: kept(memory.flows),
    inventories: kept(memory.inventories),
    facts: new Map([...memory.facts].filter(([agent]) => !stale.has(agent.module))),
  };
}

const importsOf = new WeakMap<Module, readonly string[]>();

/** Project paths that a module imports values from. */
export function projectImports(module: Module): readonly string[] {
  const known = importsOf.get(module);
  if (known) return known;
  const paths = Object.values(module.resolutions).flatMap((to) => (to.kind === 'project' ? [to.path] : []));
  importsOf.set(module, paths);
  return paths;
}

/** Who imports what, directly and through others. */
export function createImporters(
  modules: readonly Module[],
): (paths: Iterable<string>) => ReadonlySet<string> {
  const importers = new Map<string, string[]>();
  for (const module of modules) {
    for (const path of projectImports(module)) {
      const known = importers.get(path);
      if (known) known.push(module.path);
      else importers.set(path, [module.path]);
    }
  }
  return (paths) => {
    const reached = new Set(paths);
    // A set hands out what is added while it is walked.
    for (const path of reached) for (const importer of importers.get(path) ?? []) reached.add(importer);
    return reached;
  };
}
