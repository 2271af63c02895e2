import type { Binding, BindingId, Call, FunctionId, Module, Param, Value } from '../program.ts';
import type { DynamicReason } from '../summary.ts';

/**
 * What a value is, as far as the sources say (RULE-28): a literal, a shape, a function, or a symbol for what only a
 * caller or a run knows. Terms are lazy: an object keeps its syntax and the environment it was written in.
 */
export type Term =
  | { readonly t: 'literal'; readonly value: string | number | boolean | null | undefined }
  | {
      readonly t: 'object';
      readonly module: Module;
      readonly value: Value & { k: 'object' };
      readonly env: Env;
    }
  /** `open`: more elements may follow than are listed */
  | { readonly t: 'array'; readonly items: readonly Term[]; readonly open: boolean }
  | { readonly t: 'function'; readonly module: Module; readonly fn: FunctionId; readonly env: Env }
  | { readonly t: 'class'; readonly module: Module; readonly binding: BindingId }
  | { readonly t: 'enum'; readonly members: Readonly<Record<string, string | number>> }
  /** an export of `@flue/runtime` */
  | { readonly t: 'api'; readonly name: string }
  /** a global, or an export of any other package: `valibot` `object`, `globalThis` `Math.random` */
  | {
      readonly t: 'external';
      readonly source: string;
      readonly name: string;
      readonly dependsOnFlue: boolean;
    }
  | { readonly t: 'namespace'; readonly of: NamespaceOf }
  /** the result of a call that is not looked into */
  | {
      readonly t: 'call';
      readonly callee: Term;
      readonly module: Module;
      readonly call: Call;
      readonly env: Env;
      readonly awaited: boolean;
    }
  | { readonly t: 'member'; readonly object: Term; readonly name: string }
  | { readonly t: 'element'; readonly of: Term; readonly module: Module; readonly binding: BindingId }
  | { readonly t: 'param'; readonly module: Module; readonly fn: FunctionId; readonly index: number }
  | { readonly t: 'template'; readonly parts: readonly (string | Term)[] }
  | { readonly t: 'choice'; readonly options: readonly Term[]; readonly origin: Origin }
  /** an imported file that is no module */
  | { readonly t: 'asset'; readonly path: string | undefined; readonly specifier: string }
  | { readonly t: 'opaque'; readonly reason: DynamicReason; readonly origin?: Origin };

export interface Origin {
  readonly module: Module;
  readonly value: Value;
  readonly env: Env;
}

export type NamespaceOf =
  | { readonly kind: 'project'; readonly module: Module }
  | { readonly kind: 'flue' }
  | { readonly kind: 'external'; readonly source: string; readonly dependsOnFlue: boolean };

/** Values of parameters and loop variables, by the parameter or the binding itself: no key is built for a look-up. */
export type Env = ReadonlyMap<Binding | Param, Term>;
export const NO_ENV: Env = new Map();

export function paramKey(module: Module, fn: FunctionId, index: number): Param {
  return module.functions[fn]!.params[index]!;
}

export function bindingKey(module: Module, binding: BindingId): Binding {
  return module.bindings[binding]!;
}

export function opaque(reason: DynamicReason, origin?: Origin): Term {
  return origin ? { t: 'opaque', reason, origin } : { t: 'opaque', reason };
}

export function literal(value: string | number | boolean | null | undefined): Term {
  return { t: 'literal', value };
}

/** The Flue export that a term is, or undefined. */
export function apiName(term: Term): string | undefined {
  return term.t === 'api' ? term.name : undefined;
}

/** The Flue function whose call gave this value, through `await`. */
export function calledApi(term: Term): string | undefined {
  return term.t === 'call' ? apiName(term.callee) : undefined;
}

/** Where a symbol comes from: `a.b[0]` leads to `a`. */
export function rootOf(term: Term): Term {
  let root = term;
  while (root.t === 'member' || root.t === 'element') root = root.t === 'member' ? root.object : root.of;
  return root;
}
