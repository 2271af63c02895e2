import type { BindingId, Call, Fn, Value } from '../program.ts';
import { constantTruth } from './deciders.ts';
import type { Exec, FlowSummary } from './flow-types.ts';
import { forgetCalls, isTracked, parametersAsked, trackedPaths } from './predicate.ts';
import type { Env, Term } from './term.ts';
import { settleWorlds, type World } from './world.ts';

/** Calls within calls that are run where they stand; deeper ones are told by their summaries. */
const MAX_HOPS = 8;
/** Operations that are left to the function itself. */
const RESERVE = 10_000;

/**
 * Whether a summary says too little of this call, so that the body is run anew for it: because the caller knows what the
 * callee tests, or because a `try` around it or in it decides where its hooks lead.
 */
export function runsInPlace(exec: Exec, summary: FlowSummary, call: Call): boolean {
  const { module, fn, limited, exit } = summary;
  if (fn.async || fn.generator || limited !== undefined) return false;
  if (exec.inlined.includes(fn) || exec.hops.length >= MAX_HOPS || exec.nodes.left < RESERVE) return false;
  if (summary.takesRefusals || (exec.thrown && (!exit || exit.counts.size > 0))) return true;
  for (const index of parametersAsked(module, fn)) {
    const item = call.args[index];
    if (!item || call.args.slice(0, index + 1).some(({ spread }) => spread)) continue;
    if (isTracked(exec.frame, item.value, exec.tracked) || constantTruth(exec, item.value) !== undefined)
      return true;
  }
  return false;
}

/** Run the body of a function of the project for one call of it. */
export function runInPlace(
  exec: Exec,
  call: Call,
  callee: Term & { t: 'function' },
  env: Env,
  worlds: World[],
): World[] {
  const { module, hops, frame, tracked } = exec;
  const fn = callee.module.functions[callee.fn]!;
  exec.hops = [...hops, { module, call, callee: fn.name ?? 'a function' }];
  exec.frame = {
    module: callee.module,
    fn: fn.id,
    key: `${frame.key}${call.id}>`,
    caller: frame,
    given: argumentsByParameter(fn, call),
  };
  exec.tracked = new Set([...tracked, ...trackedPaths(exec.frame, fn)]);
  exec.module = callee.module;
  const ends = exec.runBody(exec, fn.id, env, worlds);
  Object.assign(exec, { module, hops, frame, tracked });
  return settleWorlds(forgetCalls(frame, ends), []);
}

function argumentsByParameter(fn: Fn, call: Call): ReadonlyMap<BindingId, Value> {
  const given = new Map<BindingId, Value>();
  for (const [index, { bindings, rest, hasDefault, destructured }] of fn.params.entries()) {
    const item = call.args[index];
    if (!item || item.spread || rest) break;
    if (!hasDefault && !destructured && bindings[0] !== undefined) given.set(bindings[0], item.value);
  }
  return given;
}
