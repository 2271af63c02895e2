/**
 * The vocabulary of facts about agents: what `describeAgents` gives and the manifest prints. Serializable; arrays are in
 * source order (file path, then offset) unless said otherwise. How one file is lowered for the engine itself is
 * `program.ts`.
 */
import type { Span } from './diagnostic.ts';

/** Why a value is not known before the program runs (EVALS-03). */
export type DynamicReason =
  | 'not-literal'
  | 'opaque-call'
  | 'unresolved-import'
  | 'parameter'
  | 'mutable-binding'
  | 'unknown-spread'
  | 'computed-key'
  | 'async-schema'
  | 'foreign-schema'
  | 'recursive'
  | 'budget';

/** A value that is static, or the reason why it is not. */
export type Slot<T> =
  | { readonly static: true; readonly value: T; readonly span: Span }
  | { readonly static: false; readonly reason: DynamicReason; readonly span: Span };

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/**
 * Where the expression of a schema stands. `nodeAt(sourceFile, span)` gives its `ts.Node` back; turning it into JSON
 * Schema is the emitter's work.
 */
export interface SchemaRef {
  readonly span: Span;
}

/** `always`: on every completing path; `sometimes`: on some; `repeated`: may run more than once per render (MAN-03). */
export type Presence = 'always' | 'sometimes' | 'repeated';

/** Whether what decides can change between renders of one instance (RULE-26). Qualifies `sometimes`. */
export type Stability = 'fixed' | 'varying' | 'unknown';

interface Declared {
  readonly presence: Presence;
  readonly stability?: Stability;
  /** custom hooks from the agent inward through which the call is reached */
  readonly via: readonly string[];
  /** the hook call */
  readonly span: Span;
}

export interface HookFact extends Declared {
  readonly hook: string;
  readonly name?: Slot<string>;
}

export interface ToolFact extends Declared {
  readonly name: Slot<string>;
  readonly description: Slot<string>;
  readonly harness: boolean;
  readonly durable: boolean;
  readonly parallel: boolean;
  readonly input: SchemaRef | null;
  readonly output: SchemaRef | null;
  /** the function that runs it, wherever it is written */
  readonly run?: Span;
  /** static step names, and prefixes of templates ending in `*` */
  readonly steps: readonly string[];
  /** the definition: the object literal, or the hook's argument where it cannot be seen */
  readonly definition: Span;
  /** name under which the definition is exported from its module */
  readonly export?: string;
  /** false when the argument is opaque, so flags and schemas are unknown */
  readonly known: boolean;
  /** a tool of an MCP connection: the server's name, and the call that connects */
  readonly mcp?: { readonly server: Slot<string>; readonly connection: Span };
}

export interface SkillFact extends Declared {
  readonly name: Slot<string>;
  readonly kind: 'package' | 'inline';
  /** project path of an imported SKILL.md */
  readonly asset?: string;
}

export interface SubagentFact extends Declared {
  readonly name: Slot<string>;
  readonly description: Slot<string>;
  readonly model: Slot<string> | null;
  readonly thinkingLevel: Slot<string> | null;
  readonly agent:
    | { readonly module: string; readonly export?: string; readonly function?: string }
    | 'dynamic';
  readonly tools: readonly ToolFact[];
  readonly skills: readonly SkillFact[];
  readonly subagents: readonly SubagentFact[];
}

export interface StateFact extends Declared {
  readonly name: Slot<string>;
  readonly default: Slot<Json>;
}

export interface DataPartFact extends Declared {
  readonly name: Slot<string>;
  readonly schema: SchemaRef | null;
}

export interface ModelFact {
  readonly presence: Presence | 'never';
  /** distinct static specifiers, ascending */
  readonly specifiers: readonly string[];
  readonly dynamic: boolean;
  readonly thinkingLevel: Slot<string> | null;
  readonly compaction: Slot<Json> | null;
}

export interface SandboxFact extends Declared {
  /** `default`, `local`, `bash`, `<specifier>#<export>`, or dynamic */
  readonly factory: string | 'dynamic';
}

export interface StaticsFact {
  readonly agentName?: string;
  readonly durability: Slot<Json> | null;
  readonly initialData: SchemaRef | null;
}

/** One registered agent (MAN-02). */
export interface AgentFact {
  readonly identity: string;
  readonly identityFrom: 'agentName' | 'export' | 'function';
  readonly module: string;
  /** the export name, or `default` */
  readonly export: string;
  /** the local binding that a build can name (BIND-03) */
  readonly function: string;
  readonly span: Span;
  readonly statics: StaticsFact;
  readonly model: ModelFact;
  readonly sandbox: SandboxFact | null;
  readonly hooks: readonly HookFact[];
  readonly tools: readonly ToolFact[];
  readonly skills: readonly SkillFact[];
  readonly subagents: readonly SubagentFact[];
  readonly states: readonly StateFact[];
  readonly dataParts: readonly DataPartFact[];
  /** false when an opaque callee, a budget or an unresolved import left the lists lower bounds */
  readonly complete: boolean;
}

/** How one part of the application reaches an agent (MAN-09). */
export interface EdgeFact {
  /** the agent whose code it is, by identity; else the module */
  readonly from: { readonly agent: string } | { readonly module: string };
  /** an identity */
  readonly to: Slot<string>;
  readonly kind: 'dispatch' | 'init' | 'lookup' | 'self' | 'subagent' | 'mount' | 'start';
  /** `render`, `tool:<name>` (`tool:*` for a name that is not static), `event:<hook>`, `module`, `handler` */
  readonly where: string;
  /** of the instance: that of the sender, a written one, one that a run decides, or none given */
  readonly id: 'own' | 'static' | 'dynamic' | 'none';
  /** `null`: not known, or nothing to wait for */
  readonly awaited: boolean | null;
  readonly span: Span;
}

/** One `connectMcpServer` call. */
export interface McpServerFact {
  readonly name: Slot<string>;
  /** without user info and query, which may hold a credential (MAN-11) */
  readonly url: Slot<string>;
  /** identities of the agents that mount its tools, ascending */
  readonly agents: readonly string[];
  readonly span: Span;
}

/** One analysed file, as the emitter needs it. */
export interface ModuleFact {
  readonly path: string;
  readonly marked: boolean;
  /** targets of static, non-type imports and re-exports, distinct, ascending */
  readonly imports: readonly string[];
  /** imported assets (`.md`, ...), distinct, ascending */
  readonly assets: readonly string[];
  /** false: the file has syntax errors or did not decode */
  readonly parsed: boolean;
}
