/**
 * One file, lowered: what remains of its syntax once everything that no rule can ask about is gone. Plain serializable
 * data, so that it can be cached by content and composed in any host (CACHE-02). Names are resolved inside the file;
 * what crosses files is resolved by `compose/`.
 *
 * Offsets are UTF-16 units into the file's text. Ids are indexes into the arrays of the same `Module`.
 */
import type { Resolution } from './host.ts';

export type BindingId = number;
export type FunctionId = number;
export type CallId = number;

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Wrappers that do not change the value: `(x)`, `x as T`, `x satisfies T`, `x!`. */
export type Value = Range &
  (
    | {
        readonly k: 'literal';
        readonly value: string | number | boolean | null;
        readonly form?: 'template';
        readonly wrapped?: true;
      }
    | { readonly k: 'undefined' }
    | { readonly k: 'bigint' }
    | { readonly k: 'template'; readonly parts: readonly (string | Value)[] }
    | { readonly k: 'ref'; readonly binding: BindingId }
    | { readonly k: 'global'; readonly name: string }
    | {
        readonly k: 'member';
        readonly object: Value;
        readonly name: string;
        readonly optional?: true;
        readonly computed?: true;
      }
    | { readonly k: 'index'; readonly object: Value; readonly index: Value }
    | { readonly k: 'call'; readonly call: CallId }
    | { readonly k: 'object'; readonly entries: readonly Entry[] }
    | { readonly k: 'array'; readonly items: readonly Item[] }
    | { readonly k: 'function'; readonly fn: FunctionId }
    | { readonly k: 'class' }
    | { readonly k: 'conditional'; readonly test: Value; readonly yes: Value; readonly no: Value }
    | { readonly k: 'logical'; readonly op: '&&' | '||' | '??'; readonly left: Value; readonly right: Value }
    | { readonly k: 'binary'; readonly op: string; readonly left: Value; readonly right: Value }
    | { readonly k: 'unary'; readonly op: string; readonly operand: Value }
    | { readonly k: 'await'; readonly operand: Value }
    | { readonly k: 'jsx' }
    | { readonly k: 'import-meta' }
    | { readonly k: 'regexp' }
    /** `this`, `super`, `yield`, tagged templates, assignments as values: nothing is known */
    | { readonly k: 'other' }
  );

export type Entry =
  | { readonly key: string; readonly keyRange: Range; readonly value: Value; readonly spread?: undefined }
  | { readonly key: null; readonly keyRange: Range; readonly value: Value; readonly spread?: undefined }
  | { readonly spread: Value; readonly key?: undefined };

export type Item = { readonly value: Value; readonly spread?: true };

export interface Call extends Range {
  readonly id: CallId;
  readonly owner: FunctionId;
  readonly callee: Value;
  readonly args: readonly Item[];
  readonly isNew: boolean;
  /** what becomes of the result */
  readonly use: 'discarded' | 'awaited' | 'value';
}

export type Op =
  | { readonly op: 'call'; readonly call: CallId }
  | {
      readonly op: 'branch';
      readonly form: BranchForm;
      readonly test: Value;
      readonly yes: Block;
      readonly no: Block;
      readonly range: Range;
    }
  | {
      readonly op: 'switch';
      readonly subject: Value;
      readonly cases: readonly SwitchCase[];
      readonly range: Range;
    }
  | {
      readonly op: 'loop';
      readonly form: 'for' | 'while' | 'do' | 'for-of' | 'for-in' | 'for-await';
      readonly over?: Value;
      readonly test?: Value;
      /** names bound to each element */
      readonly element: readonly BindingId[];
      readonly testOps: Block;
      readonly body: Block;
      readonly step: Block;
      readonly label?: string;
      readonly range: Range;
    }
  | {
      readonly op: 'try';
      readonly body: Block;
      readonly handler: Block | null;
      readonly finalizer: Block | null;
    }
  | { readonly op: 'labelled'; readonly label: string; readonly body: Block }
  | { readonly op: 'jump'; readonly to: 'break' | 'continue'; readonly label?: string }
  | { readonly op: 'return'; readonly value: Value | null; readonly range: Range }
  | { readonly op: 'throw'; readonly range: Range }
  | { readonly op: 'await'; readonly range: Range }
  /** a value of a function around is read */
  | { readonly op: 'read'; readonly binding: BindingId; readonly range: Range }
  /** a member of the object is read, which may throw; only lowered inside `try` */
  | { readonly op: 'access'; readonly object: Value };

export type Block = readonly Op[];
/** How a branch was written; `default` is the default value of a parameter or pattern. */
export type BranchForm = 'if' | '?:' | '&&' | '||' | '??' | '?.' | 'assign' | 'default';

export interface SwitchCase {
  /** null: `default` */
  readonly test: Value | null;
  readonly testOps: Block;
  readonly body: Block;
}

/** What a type says by its syntax alone: that its values are text, or that they are JSON otherwise. */
export type WrittenType = 'string' | 'json';

export interface Fn extends Range {
  readonly id: FunctionId;
  /** its own name, or that of the binding or property it initialises */
  readonly name: string | undefined;
  readonly nameRange: Range;
  readonly form:
    | 'module'
    | 'declaration'
    | 'expression'
    | 'arrow'
    | 'method'
    | 'accessor'
    | 'constructor'
    | 'field';
  readonly anonymous: boolean;
  readonly async: boolean;
  readonly generator: boolean;
  readonly parent: FunctionId;
  readonly params: readonly Param[];
  /** the return type that is written there */
  readonly returns?: WrittenType;
  readonly body: Block;
  /** every name that is read or written in its own extent, with place; nested functions have their own */
  readonly bodyRange: Range;
}

export interface Param {
  readonly range: Range;
  readonly rest: boolean;
  readonly hasDefault: boolean;
  readonly destructured: boolean;
  readonly bindings: readonly BindingId[];
}

export type PathStep = string | { readonly rest: true };

export interface Binding {
  readonly id: BindingId;
  readonly name: string;
  readonly kind:
    | 'import'
    | 'const'
    | 'let'
    | 'var'
    | 'param'
    | 'function'
    | 'class'
    | 'enum'
    | 'catch'
    | 'namespace';
  readonly range: Range;
  readonly owner: FunctionId;
  /** written after its declaration */
  assigned: boolean;
  /** places that read it, declarations and plain writes excluded */
  reads: number;
  /** what initialises it; with `path` when it is part of a pattern */
  init?: Value;
  path?: readonly PathStep[];
  fallback?: Value;
  /** the type that is written beside the name */
  type?: WrittenType;
  /** bound to each element of this value by a loop */
  elementOf?: Value;
  param?: number;
  fn?: FunctionId;
  import?: { readonly specifier: string; readonly name: string; readonly typeOnly: boolean };
  /** a class: names of its static members, with place */
  statics?: readonly { readonly name: string; readonly range: Range }[];
  /** an enum: members with constant values */
  members?: Readonly<Record<string, string | number>>;
}

export interface ImportDeclaration extends Range {
  readonly specifier: string;
  readonly specifierRange: Range;
  readonly form: 'import' | 'export' | 'dynamic' | 'require';
  readonly typeOnly: boolean;
  /** nothing is bound: `import './x'` */
  readonly bare: boolean;
  /** the `type` import attribute, with place of the whole clause */
  readonly attribute?: { readonly type: string; readonly range: Range };
}

export type Export = { readonly range: Range } & (
  | {
      readonly kind: 'local';
      readonly name: string;
      readonly binding: BindingId;
      readonly form: 'declaration' | 'list' | 'default';
    }
  | { readonly kind: 'value'; readonly name: 'default'; readonly value: Value }
  | {
      readonly kind: 'from';
      readonly name: string;
      readonly specifier: string;
      readonly imported: string;
      readonly typeOnly: boolean;
    }
  | { readonly kind: 'star'; readonly specifier: string; readonly typeOnly: boolean }
);

/** A string that stands alone as a statement, or the first statement when it is a near miss of one. */
export interface DirectiveStatement extends Range {
  readonly text: string;
  readonly raw: string;
  readonly place: 'prologue' | 'later' | 'function';
  readonly form: 'plain' | 'escaped' | 'template' | 'wrapped';
}

/** `target.name = value` and its kin, anywhere in the file. */
export interface MemberAssignment extends Range {
  readonly target: Value;
  readonly value: Value;
  readonly operator: string;
  readonly owner: FunctionId;
  /** a statement of the module itself */
  readonly topLevel: boolean;
  readonly statement: Range;
}

/** A property that is read: `object.name`. */
export interface MemberRead extends Range {
  readonly object: Value;
  readonly name: string;
  readonly optional: boolean;
  readonly owner: FunctionId;
}

export interface Suppression extends Range {
  readonly codes: readonly { readonly text: string; readonly range: Range }[];
  readonly reason: string | undefined;
  readonly covers: Range | 'file';
}

export interface ParseProblem extends Range {
  readonly message: string;
}

export interface Module {
  readonly path: string;
  readonly text: string;
  readonly lineStarts: readonly number[];
  readonly problems: readonly ParseProblem[];
  readonly marked: boolean;
  readonly directives: readonly DirectiveStatement[];
  readonly imports: readonly ImportDeclaration[];
  readonly exports: readonly Export[];
  readonly resolutions: Readonly<Record<string, Resolution>>;
  readonly bindings: readonly Binding[];
  readonly functions: readonly Fn[];
  readonly calls: readonly Call[];
  readonly assignments: readonly MemberAssignment[];
  readonly members: readonly MemberRead[];
  readonly suppressions: readonly Suppression[];
  /** every identifier that reads a binding, ascending: its offset, then the binding, in turn; see `readsWithin` */
  readonly references: readonly number[];
}

/** The module's own top level, as a function. */
export const TOP_LEVEL: FunctionId = 0;
