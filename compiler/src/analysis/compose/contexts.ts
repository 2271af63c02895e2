import type { Call, Fn, FunctionId, Module } from '../program.ts';
import { TOP_LEVEL } from '../program.ts';
import { syncCallback } from './calls.ts';
import type { Linker } from './flow-types.ts';
import { rootOf, type Term } from './term.ts';

/**
 * Where code runs (RULE-20): `render` inside one, `outside` provably not, with the words for where it is, `unknown`
 * whenever somebody else decides.
 */
export type Context =
  | { readonly kind: 'render'; readonly frame: 'agent' | 'delegate' }
  | { readonly kind: 'outside'; readonly where: string }
  | { readonly kind: 'unknown' };

const UNKNOWN: Context = { kind: 'unknown' };
const LOADING: Context = { kind: 'outside', where: 'while the module loads' };

const TIMERS =
  /^(?:globalThis\.)?(?:setTimeout|setInterval|setImmediate|queueMicrotask|requestAnimationFrame|process\.nextTick)$/;
const PROMISE_METHODS = new Set(['then', 'catch', 'finally']);
const LISTENER_METHODS = new Set(['on', 'once', 'addEventListener', 'addListener', 'prependListener']);
const ROUTE_METHODS = new Set([
  'get',
  'post',
  'put',
  'patch',
  'delete',
  'options',
  'all',
  'use',
  'on',
  'notFound',
  'onError',
]);
const SERVER_PACKAGES = /^(?:hono|express|fastify|koa|itty-router)(?:\/|$)/;

export interface Contexts {
  /** what an API says about a function that is handed to it */
  assign(module: Module, fn: FunctionId, context: Context): void;
  of(module: Module, fn: FunctionId): Context;
}

export function createContexts(linker: Linker): Contexts {
  const assigned = new Map<Fn, Context>();
  const memo = new Map<Fn, Context>();
  const uses = new WeakMap<Module, ReadonlyMap<FunctionId, { call: Call; arg: number }>>();

  function of(module: Module, id: FunctionId): Context {
    if (id === TOP_LEVEL) return LOADING;
    const fn = module.functions[id]!;
    const known = assigned.get(fn) ?? memo.get(fn);
    if (known) return known;
    memo.set(fn, UNKNOWN); // A function cannot lie within itself; this only ends a malformed chain.
    const context = derive(module, fn);
    memo.set(fn, context);
    return context;
  }

  function derive(module: Module, fn: Fn): Context {
    if (fn.generator) return UNKNOWN;
    if (!uses.has(module)) uses.set(module, usesOf(module));
    const use = uses.get(module)!.get(fn.id);
    if (!use) return UNKNOWN;
    const { call, arg } = use;
    if (arg < 0) return of(module, call.owner);
    const callee = linker.evaluator.evaluate(module, call.callee);
    const callback = syncCallback(call, callee);
    if (callback) return callback.arg === arg ? of(module, call.owner) : UNKNOWN;
    const outside = outsideOf(call, callee);
    if (outside) return { kind: 'outside', where: outside };
    if (callee.t === 'function' && callsParameter(callee, arg)) return of(module, call.owner);
    return UNKNOWN;
  }

  function callsParameter(callee: Term & { t: 'function' }, index: number): boolean {
    const { exit } = linker.flowOf(callee.module, callee.fn);
    if (!exit) return false;
    for (const { first } of exit.counts.values()) {
      const root = first.target && rootOf(first.target);
      if (first.kind === 'invoke' && root?.t === 'param' && root.fn === callee.fn && root.index === index)
        return true;
    }
    return false;
  }

  return { assign: (module, fn, context) => void assigned.set(module.functions[fn]!, context), of };
}

/** Function literals by the call that they are handed to; `arg` is -1 for the callee itself. */
function usesOf(module: Module): ReadonlyMap<FunctionId, { call: Call; arg: number }> {
  const found = new Map<FunctionId, { call: Call; arg: number }>();
  for (const call of module.calls) {
    if (call.callee.k === 'function') found.set(call.callee.fn, { call, arg: -1 });
    for (const [arg, item] of call.args.entries()) {
      if (item.value.k === 'function') found.set(item.value.fn, { call, arg });
    }
  }
  return found;
}

function outsideOf(call: Call, callee: Term): string | undefined {
  if (callee.t === 'external' && callee.source === 'globalThis' && TIMERS.test(callee.name))
    return 'in a timer';
  if (call.callee.k !== 'member') return undefined;
  const { name } = call.callee;
  if (PROMISE_METHODS.has(name)) return 'in a promise callback';
  if (LISTENER_METHODS.has(name) && call.args[0]?.value.k === 'literal') return 'in a listener';
  if (ROUTE_METHODS.has(name) && isServer(callee)) return 'in a route handler';
  return undefined;
}

function isServer(callee: Term): boolean {
  let root = rootOf(callee);
  while (root.t === 'call') root = rootOf(root.callee);
  return root.t === 'external' && SERVER_PACKAGES.test(root.source);
}
