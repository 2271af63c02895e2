import type { BindingId, Block, CallId, Fn, FunctionId, Module, Range } from '../program.ts';
import type { Evaluator } from './evaluate.ts';
import type { Frame } from './predicate.ts';
import type { StabilityOracle } from './stability.ts';
import type { Env, Term } from './term.ts';
import type { Count, Decider, Event, Hop, World } from './world.ts';

/** A hook that an async function calls after it may have given up control (FLUE2002). */
export interface Late {
  readonly event: Event;
  must: boolean;
}

/** Two order-sensitive calls that change places, and what decides. */
export interface Swap {
  readonly first: Event;
  readonly second: Event;
  readonly decider: Decider;
}

export interface LateRead {
  readonly binding: BindingId;
  readonly range: Range;
}

/** Whether completing paths return a value, and whether some do not. */
export interface Returned {
  readonly withValue: boolean;
  readonly without: boolean;
}

/** What a function does when it is called (RULE-27). Names of its events may still ask for its parameters. */
export interface FlowSummary {
  readonly module: Module;
  readonly fn: Fn;
  /** completing paths, and those that end where a hook was refused inside `try`; undefined when there are neither */
  readonly attempted: World | undefined;
  /** all completing paths joined; undefined when it never completes */
  readonly exit: World | undefined;
  readonly exits: readonly World[];
  readonly late: ReadonlyMap<CallId, Late>;
  readonly swaps: readonly Swap[];
  /** values of the render that are read after an await or a write */
  readonly lateReads: readonly LateRead[];
  readonly returned: Returned;
  /** why the function was given up (RULE-29) */
  readonly limited: string | undefined;
  readonly startsWithHook: boolean;
  /** a `try` in it or below decides where its hooks lead, which depends on what the caller has declared */
  readonly takesRefusals: boolean;
  readonly mayThrow: boolean;
}

/** What the flow of one function asks of all others. */
export interface Linker {
  readonly evaluator: Evaluator;
  readonly stability: StabilityOracle;
  flowOf(module: Module, fn: FunctionId): FlowSummary;
  /** keys under which an event is counted: its site, and its name where that is known */
  keysOf(event: Event): readonly string[];
  /** what identifies an event in the order of calls */
  orderKey(event: Event): string;
}

/** Where `break` and `continue` lead. */
export interface Target {
  readonly label: string | undefined;
  readonly isLoop: boolean;
  breaks: World[];
  continues: World[];
}

/** A path that a throw ends, on its way to whoever takes the error. */
export interface Thrown {
  readonly world: World;
  /** the hook whose refusal is thrown; a render fails by it unless it is taken */
  readonly refused: Refused | undefined;
}

/** What a render declared again: under which key, and how often it was asked for then. */
export interface Refused {
  readonly key: string;
  readonly count: Count;
}

/** The state of one pass. */
export interface Exec {
  readonly linker: Linker;
  /** changes, as the three that follow it, with the function that is being run where it is called */
  module: Module;
  fn: FunctionId;
  async: boolean;
  env: Env;
  /** calls from the function under analysis to the one that is being run */
  hops: readonly Hop[];
  frame: Frame;
  takesRefusals: boolean;
  returns: World[];
  targets: Target[];
  /** where a throw goes, inside `try` */
  thrown: Thrown[] | undefined;
  /** paths on which a refused hook left the function */
  readonly failed: World[];
  mayThrow: boolean;
  readonly guards: Decider[];
  tracked: ReadonlySet<string>;
  readonly nodes: { left: number; carried: number };
  readonly swaps: Swap[];
  readonly late: Map<CallId, Late>;
  readonly lateReads: LateRead[];
  readonly returned: { withValue: boolean; without: boolean };
  /** functions whose body is being run where they are called */
  readonly inlined: Fn[];
  readonly runBlock: (exec: Exec, block: Block, worlds: readonly World[]) => World[];
  readonly runBody: (exec: Exec, fn: FunctionId, env: Env, worlds: World[]) => World[];
  readonly runLoop: (
    exec: Exec,
    loop: {
      readonly items: readonly Term[] | undefined;
      readonly bindings: readonly number[];
      readonly label: string | undefined;
      readonly atLeastOnce: boolean;
      readonly by: Decider;
      readonly range: Range;
    },
    body: (worlds: World[]) => World[],
    worlds: World[],
  ) => World[];
}

export class OverBudget extends Error {
  readonly reason: string;
  constructor(reason: string) {
    super(reason);
    this.reason = reason;
  }
}
