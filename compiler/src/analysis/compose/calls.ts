import { HOOKS, type HookName, type HookRow, isHookName } from '@flue/runtime/internal';
import type { Call, FunctionId, Module, Value } from '../program.ts';
import { type Exec, type FlowSummary, OverBudget } from './flow-types.ts';
import { runInPlace, runsInPlace } from './in-place.ts';
import { isPureMethod } from './stability.ts';
import { type Env, rootOf, type Term } from './term.ts';
import { throwOut } from './throws.ts';
import { addCount, addEvent, type Count, type Decider, type Event, type Hop, type World } from './world.ts';

/** Methods that call their argument before they return, once per element (RULE-21). */
const ITERATION = new Set(
  'every filter find findIndex findLast findLastIndex flatMap forEach map reduce reduceRight some sort toSorted'.split(
    ' ',
  ),
);
/** The first parameter of their callback is no element, or one of two. */
const TAKES_OTHERS = /^(?:reduce|reduceRight|sort|toSorted)$/;
const NEVER_RETURNS = new Set(['process.exit', 'process.abort']);

/** What one call adds to the worlds that reach it. */
export function runCall(exec: Exec, call: Call, worlds: World[]): World[] {
  const { evaluator } = exec.linker;
  const { module, env } = exec;
  if (call.callee.k === 'function') {
    const { fn } = call.callee;
    if (readsMembers(module, fn)) throwOut(exec, worlds);
    const callee = { t: 'function', module, fn, env } as const;
    return exec.runBody(
      exec,
      fn,
      evaluator.bindArguments(callee, evaluator.argumentsOf(module, call, env)),
      worlds,
    );
  }
  const callee = evaluator.evaluate(module, call.callee, env);
  if (callee.t === 'api') {
    if (!isHookName(callee.name)) throwOut(exec, worlds);
    return isHookName(callee.name)
      ? runHook(exec, call, callee.name, worlds)
      : record(exec, 'api', callee.name, call, callee, worlds);
  }
  const written = writerOf(callee);
  if (written) return record(exec, 'write', written, call, callee, worlds);
  if (callee.t === 'function' && !call.isNew) return runProjectCall(exec, call, callee, worlds);
  const callbacks = syncCallback(call, callee);
  if (callbacks?.over?.t !== 'array') throwOut(exec, worlds);
  if (callee.t === 'external' && NEVER_RETURNS.has(callee.name)) return [];
  if (callbacks) return runCallback(exec, call, callbacks, worlds);
  if (isStepDo(callee)) return record(exec, 'step', 'step.do', call, callee, worlds);
  return runUnknown(exec, call, callee, worlds);
}

/** The hook whose writer a term is, when calling it writes. */
export function writerOf(callee: Term): string | undefined {
  const made = callee.t === 'member' && callee.name === '1' ? callee.object : callee;
  if (made.t !== 'call' || made.callee.t !== 'api' || !isHookName(made.callee.name)) return undefined;
  const row: HookRow = HOOKS[made.callee.name];
  const isSecond = made !== callee;
  return row.writer === (isSecond ? 'second' : 'call') ? made.callee.name : undefined;
}

/** `step.do`: the member `step` of a context that is a function's first parameter. */
export function isStepDo(callee: Term): boolean {
  if (callee.t !== 'member' || callee.name !== 'do') return false;
  const { object } = callee;
  return (
    object.t === 'member' &&
    object.name === 'step' &&
    object.object.t === 'param' &&
    object.object.index === 0
  );
}

function eventOf(exec: Exec, kind: Event['kind'], name: string, call: Call, target: Term | undefined): Event {
  const { module, env } = exec;
  const args = exec.linker.evaluator.argumentsOf(module, call, env);
  const site = siteOf(exec.hops, `${module.path}#${call.id}`);
  return { kind, name, module, call, env, args, target, chain: exec.hops, site };
}

function siteOf(hops: readonly Hop[], inner: string): string {
  return hops.reduceRight((site, hop) => `${hop.module.path}#${hop.call.id}>${site}`, inner);
}

function record(
  exec: Exec,
  kind: Event['kind'],
  name: string,
  call: Call,
  target: Term | undefined,
  worlds: World[],
): World[] {
  const event = eventOf(exec, kind, name, call, target);
  const keys = exec.linker.keysOf(event);
  // After an await the caller has gone on: a write there is no longer part of its render. Steps belong to async code.
  const tail = (world: World) => (exec.async && kind !== 'step' && kind !== 'append' ? world.awaited : 'no');
  return worlds.map((world) =>
    tail(world) === 'must' ? world : addEvent(world, keys, event, tail(world) === 'may' ? 0 : 1),
  );
}

function runHook(exec: Exec, call: Call, name: HookName, worlds: World[]): World[] {
  const event = eventOf(exec, 'hook', name, call, undefined);
  const keys = exec.linker.keysOf(event);
  const ordered = 'ordered' in HOOKS[name];
  return worlds.flatMap((world) => {
    if (!exec.async || world.awaited === 'no') return declare(exec, world, keys, event, ordered);
    noteLate(exec, event, world.awaited === 'must');
    return world.awaited === 'must' ? [world] : [addEvent(world, keys, event, 0, 1, ordered)];
  });
}

/**
 * A hook throws where the render has what it declares already, and has declared nothing then (HOOK-04). Outside `try` the
 * path goes on as if it had, so that one fault does not hide the next; inside, it leads to whoever takes the error.
 */
function declare(exec: Exec, world: World, keys: readonly string[], event: Event, ordered: boolean): World[] {
  const declared = addEvent(world, keys, event, 1, 1, ordered);
  if (!exec.thrown) return [declared];
  exec.takesRefusals = true;
  const [, key] = keys;
  const before = key === undefined ? undefined : world.counts.get(key);
  if (key === undefined || !before || before.max === 0) return [declared];
  const once = { ...before, min: Math.max(1, before.min), sure: Math.max(1, before.sure) };
  const twice = { ...before, min: 2, max: 2, sure: 2, second: event };
  throwOut(exec, [{ ...world, counts: new Map(world.counts).set(key, once) }], { key, count: twice });
  if (before.sure > 0) return [];
  const others = new Map(world.counts);
  others.delete(key);
  return [addEvent({ ...world, counts: others }, keys, event, 1, 1, ordered)];
}

function noteLate(exec: Exec, event: Event, must: boolean): void {
  const known = exec.late.get(event.call.id);
  if (known) known.must &&= must;
  else exec.late.set(event.call.id, { event, must });
}

function runProjectCall(exec: Exec, call: Call, callee: Term & { t: 'function' }, worlds: World[]): World[] {
  const summary = exec.linker.flowOf(callee.module, callee.fn);
  exec.takesRefusals ||= summary.takesRefusals;
  const inPlace = runsInPlace(exec, summary, call);
  const mayThrow = inPlace ? readsMembers(callee.module, callee.fn) : summary.mayThrow;
  if (mayThrow && !summary.startsWithHook) throwOut(exec, worlds);
  const { evaluator } = exec.linker;
  const env = evaluator.bindArguments(callee, evaluator.argumentsOf(exec.module, call, exec.env));
  return inPlace
    ? runInPlace(exec, call, callee, env, worlds)
    : applySummary(exec, summary, call, env, worlds);
}

const readersOf = new WeakMap<Module, ReadonlySet<FunctionId>>();

/** A body that may throw by itself: what stands inside functions is lowered without the places where it does. */
export function readsMembers(module: Module, fn: FunctionId): boolean {
  const readers =
    readersOf.get(module) ??
    new Set(module.members.filter(({ object }) => mayBeNothing(module, object)).map(({ owner }) => owner));
  readersOf.set(module, readers);
  return readers.has(fn);
}

/** Whether reading a member of the value may throw: it can where the value may be `undefined` or `null`. */
export function mayBeNothing(module: Module, value: Value): boolean {
  if (value.k !== 'ref') return !/^(?:array|object|function|template|regexp)$/.test(value.k);
  const { kind, init, path, elementOf } = module.bindings[value.binding]!;
  const isWhole = kind === 'const' && init && init.k !== 'ref' && !path?.length && !elementOf;
  return !isWhole || mayBeNothing(module, init);
}

/** Bring in what a function does, with its parameters replaced by what this call gives. */
function applySummary(exec: Exec, summary: FlowSummary, call: Call, env: Env, worlds: World[]): World[] {
  if (summary.fn.generator) return worlds;
  if (summary.limited !== undefined)
    return record(exec, 'opaque', summary.fn.name ?? 'a function', call, undefined, worlds);
  if (!summary.exit) return summary.fn.async ? worlds : [];
  const { counts, order } = summary.exit;
  if (counts.size === 0) return worlds;
  // What it would do where each refusal is taken is not in its summary.
  if (exec.thrown) {
    throwOut(exec, worlds);
    return record(exec, 'opaque', summary.fn.name ?? 'a function', call, undefined, worlds);
  }
  exec.nodes.left -= counts.size;
  if (exec.nodes.left < 0) throw new OverBudget('it reaches too many hooks');
  const hop = { module: exec.module, call, callee: summary.fn.name ?? 'a function' };
  const lift = (event: Event): Event => liftEvent(exec, event, hop, env);
  let current = worlds;
  for (const [key, count] of counts) {
    const event = lift(count.first);
    const lifted: Count = {
      ...count,
      first: event,
      second: count.second && lift(count.second),
      deciders: count.deciders.map((decider) => liftDecider(exec, decider, env)),
    };
    if (key !== count.first.site) {
      current = current.map((world) => addCount(world, key, lifted));
      continue;
    }
    // Names that the callee knew are counted under their own key, exclusive branches included; here only new ones.
    const before = exec.linker.keysOf(count.first);
    current = applyEvent(exec, lifted, current, (name) => !before.includes(name));
  }
  const ordered = order.map(lift);
  return ordered.length === 0
    ? current
    : current.map((world) => ({ ...world, order: [...world.order, ...ordered] }));
}

function liftEvent(exec: Exec, event: Event, hop: Event['chain'][number], env: Env): Event {
  const { evaluator } = exec.linker;
  return {
    ...event,
    args: event.args.map((term) => evaluator.substitute(term, env)),
    target: event.target && evaluator.substitute(event.target, env),
    env: env.size > 0 ? new Map([...env, ...event.env]) : event.env,
    chain: [...exec.hops, hop, ...event.chain],
    site: siteOf([...exec.hops, hop], event.site),
  };
}

function liftDecider(exec: Exec, decider: Decider, env: Env): Decider {
  const steadiness = exec.linker.stability.settle(decider.steadiness, env);
  return steadiness === decider.steadiness ? decider : { ...decider, steadiness };
}

/** Count an event of a callee; a call of a parameter may have become the call of something known. */
function applyEvent(exec: Exec, count: Count, worlds: World[], isNew: (key: string) => boolean): World[] {
  const event = count.first;
  if (event.kind === 'invoke' && event.target) {
    const written = writerOf(event.target);
    if (written)
      return countAll(exec, { ...count, first: { ...event, kind: 'write', name: written } }, worlds, isNew);
    if (event.target.t === 'function') {
      const outer = event.chain[0];
      if (!outer) return worlds;
      const inner = exec.linker.flowOf(event.target.module, event.target.fn);
      const ran = applySummary(exec, inner, outer.call, event.target.env, worlds);
      return count.min > 0 ? ran : [...worlds, ...ran];
    }
    if (rootOf(event.target).t === 'literal') return worlds;
  }
  return countAll(exec, count, worlds, isNew);
}

function countAll(exec: Exec, count: Count, worlds: World[], isNew: (key: string) => boolean): World[] {
  const keys = exec.linker.keysOf(count.first).filter(isNew);
  return worlds.map((world) => keys.reduce((current, key) => addCount(current, key, count), world));
}

/** The callback that the callee runs before it returns, and over what. */
export function syncCallback(
  call: Call,
  callee: Term,
): { readonly arg: number; readonly over: Term | undefined; readonly once: boolean } | undefined {
  if (callee.t === 'external' && callee.source === 'globalThis') {
    if (callee.name === 'Promise' && call.isNew) return { arg: 0, over: undefined, once: true };
    if (callee.name === 'Array.from') return { arg: 1, over: undefined, once: false };
  }
  if (call.callee.k === 'member' && ITERATION.has(call.callee.name) && callee.t === 'member') {
    return { arg: 0, over: callee.object, once: false };
  }
  return undefined;
}

function runCallback(
  exec: Exec,
  call: Call,
  { arg, over, once }: { readonly arg: number; readonly over: Term | undefined; readonly once: boolean },
  worlds: World[],
): World[] {
  const value = call.args[arg]?.value;
  if (!value) return worlds;
  const { evaluator, stability } = exec.linker;
  const callback = evaluator.evaluate(exec.module, value, exec.env);
  if (callback.t === 'api') return worlds; // `tools.forEach(useTool)`: names unknown, presence unknown.
  if (callback.t !== 'function') return worlds;
  const run = (element: Term | undefined, inner: World[]): World[] => {
    const env = evaluator.bindArguments(callback, element ? [element] : []);
    if (value.k === 'function') return exec.runBody(exec, value.fn, env, inner);
    return applySummary(exec, exec.linker.flowOf(callback.module, callback.fn), call, env, inner);
  };
  if (once) return run(undefined, worlds);
  const items = over?.t === 'array' && !over.open ? over.items : undefined;
  const by: Decider = {
    steadiness: over ? stability.ofTerm(over) : stability.ofTerm(callback),
    module: exec.module,
    range: call,
  };
  if (items && items.length <= 16) return items.reduce((current, item) => run(item, current), worlds);
  const loop = { items: undefined, bindings: [], label: undefined, atLeastOnce: false, by, range: call };
  const element =
    over && !TAKES_OTHERS.test(call.callee.k === 'member' ? call.callee.name : '')
      ? elementOf(callback, over)
      : undefined;
  return exec.runLoop(exec, loop, (inner) => run(element, inner), worlds);
}

/** What a callback's first parameter stands for, as the variable of a loop does. */
function elementOf({ module, fn }: Term & { t: 'function' }, over: Term): Term | undefined {
  const param = module.functions[fn]!.params[0];
  const binding = param && !param.destructured && !param.rest ? param.bindings[0] : undefined;
  return binding === undefined ? undefined : { t: 'element', of: over, module, binding };
}

/** Calls that cannot be looked into. Most are none of our business; some may hide a hook. */
function runUnknown(exec: Exec, call: Call, callee: Term, worlds: World[]): World[] {
  const root = rootOf(callee);
  const method = call.callee.k === 'member' ? call.callee.name : undefined;
  if (root.t === 'param') {
    if (method !== undefined && isPureMethod(method)) return worlds;
    const isAppend = callee.t === 'member' && callee.name === 'append' && callee.object === root;
    return record(exec, isAppend ? 'append' : 'invoke', method ?? 'a parameter', call, callee, worlds);
  }
  if (callee.t === 'choice' || mayHideHooks(root) || passesHooks(exec, call)) {
    if (method !== undefined && isPureMethod(method)) return worlds;
    return record(exec, 'opaque', method ?? 'a function', call, callee, worlds);
  }
  return worlds;
}

function mayHideHooks(root: Term): boolean {
  switch (root.t) {
    case 'external':
      return root.dependsOnFlue;
    case 'opaque':
      return (
        root.reason === 'unresolved-import' || root.reason === 'mutable-binding' || root.reason === 'budget'
      );
    case 'class':
      return true;
    case 'call':
      // An instance of a project class, or what a Flue-dependent package made.
      return (
        root.callee.t === 'class' ||
        (root.callee.t === 'external' && root.callee.dependsOnFlue) ||
        root.callee.t === 'opaque'
      );
    default:
      return false;
  }
}

/** `f({ useModel, useTool })`, or a callback that calls hooks: whether and when it runs is unknown (AN-10). */
function passesHooks(exec: Exec, call: Call): boolean {
  const { evaluator } = exec.linker;
  return call.args.some(({ value }) => {
    if (value.k === 'function') return reachesHooks(exec, exec.module, value.fn);
    if (value.k === 'ref') {
      const term = evaluator.evaluate(exec.module, value, exec.env);
      return (
        (term.t === 'api' && isHookName(term.name)) ||
        (term.t === 'function' && reachesHooks(exec, term.module, term.fn))
      );
    }
    if (value.k !== 'object') return false;
    return value.entries.some((entry) => {
      if (entry.spread !== undefined || (entry.value.k !== 'ref' && entry.value.k !== 'function'))
        return false;
      const term = evaluator.evaluate(exec.module, entry.value, exec.env);
      return (
        (term.t === 'api' && isHookName(term.name)) ||
        (term.t === 'function' && reachesHooks(exec, term.module, term.fn))
      );
    });
  });
}

function reachesHooks(exec: Exec, module: Module, fn: number): boolean {
  const { exit } = exec.linker.flowOf(module, fn);
  return exit !== undefined && [...exit.counts.values()].some((count) => count.first.kind === 'hook');
}
