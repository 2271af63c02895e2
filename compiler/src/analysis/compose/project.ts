import type { ModelInfo } from '../host.ts';
import type { Call, Fn, Module, Range } from '../program.ts';
import type { OpenTypes } from '../types.ts';
import { type Agent, agentsOf } from './agents.ts';
import { type Contexts, createContexts } from './contexts.ts';
import type { Linker } from './flow-types.ts';
import { buildGraph, type Graph } from './graph.ts';
import { takeInventory } from './inventory.ts';
import { joinInventories } from './join.ts';
import { createLinker } from './linker.ts';
import { createImporters, emptyMemory, type Memory, memoryWithout } from './memory.ts';
import { type Part, partsOf } from './parts.ts';
import type { Term } from './term.ts';

/** A call of a Flue export. */
export interface ApiCall {
  readonly module: Module;
  readonly call: Call;
  readonly name: string;
}

/** A `step.do` of a durable tool. */
export interface StepCall {
  readonly module: Module;
  readonly call: Call;
}

/** A tool as written: the literal, wherever its fields come from. */
export interface ToolDefinition {
  readonly module: Module;
  /** the first module, by path, that mentions it */
  readonly by: Module;
  readonly term: Term & { t: 'object' };
  /** handed to `useTool` somewhere, rather than only defined */
  readonly mounted: boolean;
}

export interface SubagentDefinition {
  readonly module: Module;
  readonly by: Module;
  readonly term: Term & { t: 'object' };
  /** the delegate's function, where it is in sight */
  readonly agent: { readonly module: Module; readonly fn: Fn } | undefined;
}

/** A function that the runtime renders. */
export interface Root {
  readonly kind: 'agent' | 'delegate' | 'start' | 'render';
  readonly module: Module;
  readonly fn: Fn;
  readonly name: string;
  readonly nameRange: Range;
  readonly agent: Agent | undefined;
}

/** Where a literal model specifier is written. */
export interface SpecifierUse {
  readonly module: Module;
  readonly by: Module;
  readonly range: Range;
  readonly specifier: string;
}

/** All modules, joined: what rules and the manifest read. Everything here is computed once. */
export interface Project {
  readonly modules: readonly Module[];
  readonly graph: Graph;
  readonly linker: Linker;
  readonly contexts: Contexts;
  readonly agents: readonly Agent[];
  readonly roots: readonly Root[];
  readonly apiCalls: readonly ApiCall[];
  readonly steps: readonly StepCall[];
  readonly tools: readonly ToolDefinition[];
  readonly subagents: readonly SubagentDefinition[];
  readonly specifiers: readonly SpecifierUse[];
  readonly settings: ProjectSettings;
  readonly resolveModelInfo: ((specifier: string) => ModelInfo | undefined) | undefined;
  /** tier T; without it those rules are silent */
  readonly types: OpenTypes | undefined;
  /** the project itself; of a view of one part, the project that it is a part of */
  readonly whole: Project;
  readonly parts: readonly Part[];
  readonly memory: Memory;
  /** what other modules say of a module, as text to be compared */
  readonly incoming: ReadonlyMap<Module, string>;
  /** functions that the roots run, and these themselves: what they do is told with the root */
  readonly reached: ReadonlySet<Fn>;
}

/** What the configuration says about the whole; without it the rules that need it are silent. */
export interface ProjectSettings {
  readonly target?: 'node' | 'cloudflare' | undefined;
  /** project path of the `cloudflare` entry, when the target is Cloudflare */
  readonly cloudflareEntry?: string | undefined;
  /** project path of the `app` entry */
  readonly appEntry?: string | undefined;
}

export interface ComposeOptions {
  readonly settings?: ProjectSettings | undefined;
  readonly resolveModelInfo?: ((specifier: string) => ModelInfo | undefined) | undefined;
  readonly types?: OpenTypes | undefined;
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

/** A path of tests and fixtures, where hooks are called in ways an application never does. */
export function isTestFile(path: string): boolean {
  return /(?:^|\/)(?:__tests__|tests?|fixtures?|__mocks__)\/|\.(?:test|spec)\.[cm]?[jt]sx?$/.test(path);
}
