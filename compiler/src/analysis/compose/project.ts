import type { ModelInfo } from '../host.ts';
import type { Call, Fn, Module, Range } from '../program.ts';
import { type Agent, agentsOf } from './agents.ts';
import { type Contexts, createContexts } from './contexts.ts';
import type { Linker } from './flow-types.ts';
import { buildGraph, type Graph } from './graph.ts';
import { takeInventory } from './inventory.ts';
import { createLinker } from './linker.ts';
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
  readonly term: Term & { t: 'object' };
  /** handed to `useTool` somewhere, rather than only defined */
  readonly mounted: boolean;
}

export interface SubagentDefinition {
  readonly module: Module;
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
}

export function compose(modules: readonly Module[], options: ComposeOptions = {}): Project {
  const sorted = [...modules].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  const graph = buildGraph(sorted);
  const linker = createLinker(graph);
  const contexts = createContexts(linker);
  const agents = sorted.flatMap(agentsOf);
  const inventory = takeInventory(sorted, agents, linker, contexts);
  return {
    modules: sorted,
    graph,
    linker,
    contexts,
    agents,
    ...inventory,
    settings: options.settings ?? {},
    resolveModelInfo: options.resolveModelInfo,
  };
}

/** A path of tests and fixtures, where hooks are called in ways an application never does. */
export function isTestFile(path: string): boolean {
  return /(?:^|\/)(?:__tests__|tests?|fixtures?|__mocks__)\/|\.(?:test|spec)\.[cm]?[jt]sx?$/.test(path);
}
