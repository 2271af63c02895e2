import type { ModelInfo } from '../host.ts';
import type { Fn, Module } from '../program.ts';
import type { TypeGrounds } from '../type-ground.ts';
import type { OpenTypes } from '../types.ts';
import type { Agent } from './agents.ts';
import type { Contexts } from './contexts.ts';
import type { ApiCall, Root, SpecifierUse, StepCall, SubagentDefinition, ToolDefinition } from './entries.ts';
import type { Linker } from './flow-types.ts';
import type { Graph } from './graph.ts';
import type { Memory } from './memory.ts';

/** Modules that are checked together. The same object in a later project means: nothing that concerns them changed. */
export interface Part {
  readonly modules: readonly Module[];
}

/** What earlier runs found in parts of this project. */
export interface PartMemory {
  /** `what` tells results about one part apart. A result is JSON. */
  recall<T>(part: Part, what: string): T | undefined;
  keep(part: Part, what: string, result: unknown): void;
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
  /** what their answers rest on; without it nothing that they said is kept */
  readonly typeGrounds: TypeGrounds | undefined;
  /** the project itself; of a view of one part, the project that it is a part of */
  readonly whole: Project;
  readonly parts: readonly Part[];
  readonly memory: Memory;
  /** what earlier runs found in the same parts */
  readonly partMemory: PartMemory | undefined;
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
  /** which questions the type checker is asked (RULE-07); default: those that syntax leaves open */
  readonly typing?: Typing | undefined;
}

/** `all`: also what syntax has decided already. `none`: nothing, so that rules which need types are silent. */
export type Typing = 'undecided' | 'all' | 'none';

/** A path of tests and fixtures, where hooks are called in ways an application never does. */
export function isTestFile(path: string): boolean {
  return /(?:^|\/)(?:__tests__|tests?|fixtures?|__mocks__)\/|\.(?:test|spec)\.[cm]?[jt]sx?$/.test(path);
}
