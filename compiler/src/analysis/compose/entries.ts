import type { Call, Fn, Module, Range } from '../program.ts';
import type { Agent } from './agents.ts';
import type { Term } from './term.ts';

/*
 * What modules say of Flue: the entries of an inventory, and of the project that joins all inventories.
 */

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
