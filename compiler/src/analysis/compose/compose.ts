import type { ModelInfo } from '../host.ts';
import type { Module } from '../program.ts';
import type { TypeGrounds } from '../type-ground.ts';
import type { OpenTypes } from '../types.ts';
import { agentsOf } from './agents.ts';
import { createContexts } from './contexts.ts';
import { buildGraph } from './graph.ts';
import { takeInventory } from './inventory.ts';
import { joinInventories } from './join.ts';
import { createLinker } from './linker.ts';
import { createImporters, emptyMemory, memoryWithout } from './memory.ts';
import { createPartMemory, type ResultMemory } from './part-memory.ts';
import { partsOf } from './parts.ts';
import type { PartMemory, Project, ProjectSettings } from './project.ts';

export interface ComposeOptions {
  readonly settings?: ProjectSettings | undefined;
  readonly resolveModelInfo?: ((specifier: string) => ModelInfo | undefined) | undefined;
  readonly types?: OpenTypes | undefined;
  readonly typeGrounds?: TypeGrounds | undefined;
  readonly resultMemory?: ResultMemory | undefined;
}

/**
 * Join the modules. With `before`, an earlier project of the same root, what is known of modules that neither changed nor
 * import what changed is taken over (CACHE-03).
 */
export function compose(modules: readonly Module[], options: ComposeOptions = {}, before?: Project): Project {
  const sorted = [...modules].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const importersOf = createImporters(sorted);
  const changed = before && importersOf(changedPaths(sorted, before));
  const memory = before ? memoryWithout(before.memory, modulesAt(before, changed!)) : emptyMemory();
  const graph = buildGraph(sorted);
  const linker = createLinker(graph, memory);
  const contexts = createContexts(linker);
  const agents = sorted.flatMap(agentsOf);
  const inventories = sorted.map((module) => {
    const inventory = memory.inventories.get(module) ?? takeInventory(module, linker.evaluator);
    memory.inventories.set(module, inventory);
    return [module, inventory] as const;
  });
  const { incoming, ...joined } = joinInventories(inventories, agents, contexts);
  const concerned = before && concernedPaths(before, changed!, importersOf);
  if (before) forgetFacts();
  let partMemory: PartMemory | undefined;
  const project: Project = {
    modules: sorted,
    graph,
    linker,
    contexts,
    agents,
    ...joined,
    incoming,
    memory,
    get whole() {
      return project;
    },
    parts: partsOf(sorted, before?.parts, concerned),
    settings: options.settings ?? {},
    resolveModelInfo: options.resolveModelInfo,
    types: options.types,
    typeGrounds: options.typeGrounds,
    get partMemory() {
      if (options.resultMemory) partMemory ??= createPartMemory(project, options.resultMemory);
      return partMemory;
    },
  };
  return project;

  /** Changed themselves, or spoken of differently by others. */
  function concernedPaths(
    earlier: Project,
    paths: ReadonlySet<string>,
    importers: ReturnType<typeof createImporters>,
  ): ReadonlySet<string> {
    const spokenOf = sorted.filter((module) => earlier.incoming.get(module) !== incoming.get(module));
    return importers([...paths, ...spokenOf.map((module) => module.path)]);
  }

  function forgetFacts(): void {
    for (const agent of memory.facts.keys())
      if (concerned!.has(agent.module.path)) memory.facts.delete(agent);
  }
}

function changedPaths(modules: readonly Module[], before: Project): string[] {
  const { modules: earlier } = before.graph;
  const paths = modules.filter((module) => earlier.get(module.path) !== module).map(({ path }) => path);
  if (modules.length - paths.length === earlier.size) return paths;
  const present = new Set(modules.map(({ path }) => path));
  return [...paths, ...[...earlier.keys()].filter((path) => !present.has(path))];
}

function modulesAt(project: Project, paths: ReadonlySet<string>): ReadonlySet<Module> {
  return new Set([...paths].flatMap((path) => project.graph.modules.get(path) ?? []));
}
