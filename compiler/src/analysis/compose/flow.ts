import type { Block, Fn, FunctionId, Module, Op } from '../program.ts';
import { mayBeNothing, readsMembers, runCall } from './calls.ts';
import { continues, runBranch } from './conditions.ts';
import { constantTruth, deciderOf } from './deciders.ts';
import type { Exec, FlowSummary, Linker, Target } from './flow-types.ts';
import { OverBudget } from './flow-types.ts';
import { runLoop, runLoopOp } from './loops.ts';
import { assume, equality, frameOf, known, literalKey, trackedPaths } from './predicate.ts';
import { noteEarlySwaps } from './swaps.ts';
import { type Env, NO_ENV } from './term.ts';
import { throwOut } from './throws.ts';
import { runTry } from './tries.ts';
import { type Count, collapse, doubt, START, settleWorlds, type World } from './world.ts';

/** Operations of one function before it counts as too complex (RULE-29). */
const MAX_NODES = 20_000;
/** Events carried from operation to operation, summed up: what keeps a body of thousands of hooks from costing its square. */
const MAX_CARRIED = 500_000;

/** One for all: nearly no function has any, and an empty map of its own takes as much room as the rest of a summary. */
const NONE_LATE: FlowSummary['late'] = new Map();

/**
 * What one function does, on all its paths: one pass over its body in the order it runs, worlds forking at tests and
 * merging after them (RULE-23 to RULE-25). Callees come in as their summaries.
 */
export function summariseFlow(linker: Linker, module: Module, fn: Fn): FlowSummary {
  const summary = summarise(linker, module, fn, START);
  if (!summary.takesRefusals) return summary;
  // What a `try` does with a hook rests on what was declared before it: on each path, not on all of them together. Paths
  // kept apart tell how often; what decides between them is told where they meet.
  const apart = summarise(linker, module, fn, { ...START, apart: true });
  const { attempted, limited } = apart;
  return { ...summary, attempted, limited, exit: withDeciders(apart.exit, summary.exit) };
}

function withDeciders(exit: World | undefined, met: World | undefined): World | undefined {
  if (!exit || !met) return exit;
  const counts = new Map<string, Count>();
  for (const [key, count] of exit.counts)
    counts.set(key, { ...count, deciders: met.counts.get(key)?.deciders ?? count.deciders });
  return { ...exit, counts };
}

function summarise(linker: Linker, module: Module, fn: Fn, start: World): FlowSummary {
  const frame = frameOf(module, fn.id);
  const exec: Exec = {
    linker,
    module,
    fn: fn.id,
    async: fn.async,
    env: NO_ENV,
    hops: [],
    frame,
    takesRefusals: false,
    returns: [],
    targets: [],
    thrown: undefined,
    failed: [],
    mayThrow: readsMembers(module, fn.id),
    guards: [],
    tracked: trackedPaths(frame, fn),
    nodes: { left: MAX_NODES, carried: MAX_CARRIED },
    swaps: [],
    late: new Map(),
    lateReads: [],
    returned: { withValue: false, without: false },
    inlined: [],
    runBlock,
    runBody,
    runLoop,
  };
  try {
    const ends = runBlock(exec, fn.body, [start]);
    const exits = ends.concat(exec.returns);
    noteEarlySwaps(exec, ends);
    return {
      module,
      fn,
      attempted: collapse([...exits, ...exec.failed], []),
      exit: collapse(exits, []),
      exits,
      late: exec.late.size === 0 ? NONE_LATE : exec.late,
      lateReads: exec.lateReads,
      returned: { withValue: exec.returned.withValue, without: exec.returned.without || ends.length > 0 },
      swaps: exec.swaps,
      limited: undefined,
      startsWithHook: startsWithHook(linker, module, fn),
      takesRefusals: exec.takesRefusals,
      mayThrow: exec.mayThrow,
    };
  } catch (error) {
    if (!(error instanceof OverBudget)) throw error;
    return { ...unknownSummary(module, fn), limited: error.reason };
  }
}

/** The summary of a function that nothing is known about: it completes and does nothing in sight. */
export function unknownSummary(module: Module, fn: Fn): FlowSummary {
  return {
    module,
    fn,
    attempted: START,
    exit: START,
    exits: [START],
    late: NONE_LATE,
    lateReads: [],
    returned: { withValue: true, without: false },
    swaps: [],
    limited: undefined,
    startsWithHook: false,
    takesRefusals: false,
    mayThrow: true,
  };
}

function startsWithHook(linker: Linker, module: Module, fn: Fn): boolean {
  const first = fn.body.find(
    (op) =>
      op.op === 'call' ||
      op.op === 'await' ||
      op.op === 'throw' ||
      (op.op === 'access' && mayBeNothing(module, op.object)),
  );
  if (first?.op !== 'call') return false;
  const callee = linker.evaluator.evaluate(module, module.calls[first.call]!.callee);
  return callee.t === 'api' && callee.name.startsWith('use');
}

function runBlock(exec: Exec, block: Block, worlds: readonly World[]): World[] {
  let current = [...worlds];
  for (let i = 0; i < block.length; i++) {
    if (current.length === 0) return current; // Unreachable from here on.
    const first = i;
    while (continues(block[i + 1], block[i]!)) i++;
    exec.nodes.left -= i + 1 - first;
    if (exec.nodes.left < 0) throw new OverBudget('it has too many branches');
    const op = block[i]!;
    current =
      op.op === 'branch' ? runBranch(exec, block.slice(first, i), op, current) : runOp(exec, op, current);
    for (const world of current) exec.nodes.carried -= world.counts.size;
    if (exec.nodes.carried < 0) throw new OverBudget('it reaches too many hooks');
  }
  return current;
}

function runOp(exec: Exec, op: Exclude<Op, { op: 'branch' }>, worlds: World[]): World[] {
  switch (op.op) {
    case 'call':
      return runCall(exec, exec.module.calls[op.call]!, worlds);
    case 'switch':
      return runSwitch(exec, op, worlds);
    case 'loop':
      return runLoopOp(exec, op, worlds);
    case 'try':
      return runTry(exec, op, worlds);
    case 'labelled': {
      const target: Target = { label: op.label, isLoop: false, breaks: [], continues: [] };
      exec.targets.push(target);
      const ends = runBlock(exec, op.body, worlds);
      exec.targets.pop();
      return settleWorlds([...ends, ...target.breaks], []);
    }
    case 'jump':
      jump(exec, op, worlds);
      return [];
    case 'return':
      noteReturn(exec, op, worlds);
      exec.returns.push(...settleWorlds(leave(exec, worlds), []));
      return [];
    case 'throw':
      throwOut(exec, worlds);
      return [];
    case 'await':
      throwOut(exec, worlds);
      return exec.async ? worlds.map((world) => ({ ...world, awaited: 'must' as const })) : worlds;
    case 'read':
      noteRead(exec, op, worlds);
      return worlds;
    case 'access':
      if (mayBeNothing(exec.module, op.object)) throwOut(exec, worlds);
      return worlds;
  }
}

/** A read of the render's values after control was given up, or after a write (FLUE2409). */
function noteRead(exec: Exec, op: Op & { op: 'read' }, worlds: readonly World[]): void {
  if (exec.hops.length > 0) return; // Its own summary says so.
  const wrote = (world: World) => [...world.counts.values()].some((count) => count.first.kind === 'write');
  if (worlds.some((world) => (exec.async && world.awaited !== 'no') || wrote(world))) {
    exec.lateReads.push({ binding: op.binding, range: op.range });
  }
}

/** Whether the function itself, not one written inside it, returns something. */
function noteReturn(exec: Exec, op: Op & { op: 'return' }, worlds: readonly World[]): void {
  if (exec.inlined.length > 0 || worlds.length === 0) return;
  const isNothing = op.value === null || op.value.k === 'undefined';
  if (isNothing) exec.returned.without = true;
  else exec.returned.withValue = true;
}

/** Paths that leave early remember under which tests they did: those decide what the rest does not do. */
function leave(exec: Exec, worlds: readonly World[]): World[] {
  return exec.guards.length === 0
    ? [...worlds]
    : worlds.map((world) => ({ ...world, guards: [...world.guards, ...exec.guards].slice(-4) }));
}

function jump(exec: Exec, op: Op & { op: 'jump' }, worlds: readonly World[]): void {
  for (let i = exec.targets.length - 1; i >= 0; i--) {
    const target = exec.targets[i]!;
    const matches =
      op.label === undefined
        ? target.isLoop || (op.to === 'break' && target.label === undefined)
        : target.label === op.label;
    if (!matches) continue;
    (op.to === 'break' ? target.breaks : target.continues).push(...leave(exec, worlds));
    return;
  }
}

function runSwitch(exec: Exec, op: Op & { op: 'switch' }, worlds: World[]): World[] {
  const { frame, tracked } = exec;
  const by = deciderOf(exec, op.subject, op.range);
  const target: Target = { label: undefined, isLoop: false, breaks: [], continues: [] };
  exec.targets.push(target);
  exec.guards.push(by);
  let unmatched = worlds;
  const entries: World[][] = [];
  for (const clause of op.cases) {
    unmatched = runBlock(exec, clause.testOps, unmatched);
    if (!clause.test) {
      entries.push([]);
      continue;
    }
    const test = equality(op.subject, clause.test);
    const constant = constantTruth(exec, test);
    const matched: World[] = [];
    const rest: World[] = [];
    for (const world of unmatched) {
      const truth = constant ?? known(frame, world, test);
      if (truth !== false) matched.push(...assume(frame, world, test, true, tracked));
      if (truth !== true) rest.push(...assume(frame, world, test, false, tracked));
    }
    entries.push(matched);
    unmatched = rest;
  }
  const fallback = op.cases.findIndex((clause) => clause.test === null);
  if (fallback >= 0) entries[fallback] = unmatched;
  let flowing: World[] = [];
  for (const [index, clause] of op.cases.entries()) {
    flowing = runBlock(exec, clause.body, settleWorlds([...flowing, ...entries[index]!], [by]));
  }
  exec.guards.pop();
  exec.targets.pop();
  // Without types, a list of literal cases may be all there are: the path past it is not held against the author, and
  // proves nothing either.
  const mayBeExhaustive =
    op.cases.length > 1 && op.cases.every((clause) => clause.test && literalKey(clause.test) !== undefined);
  const past = fallback >= 0 ? [] : unmatched;
  if (!mayBeExhaustive) return settleWorlds([...flowing, ...target.breaks, ...past], [by]);
  return doubt(settleWorlds([...flowing, ...target.breaks], [by]), collapse(past, [by]));
}

/** Run the body of a function where it is written: an IIFE, or a callback that is called at once. */
function runBody(exec: Exec, id: FunctionId, env: Env, worlds: World[]): World[] {
  const fn = exec.module.functions[id]!;
  if (fn.generator || exec.inlined.includes(fn)) return worlds;
  const outer = {
    fn: exec.fn,
    env: exec.env,
    returns: exec.returns,
    targets: exec.targets,
    async: exec.async,
  };
  exec.fn = id;
  exec.env = env;
  exec.returns = [];
  exec.targets = [];
  exec.inlined.push(fn);
  if (fn.async) exec.async = true;
  const entered = fn.async ? worlds.map((world) => ({ ...world, awaited: 'no' as const })) : worlds;
  const ends = [...runBlock(exec, fn.body, entered), ...exec.returns];
  exec.inlined.pop();
  Object.assign(exec, outer);
  if (!fn.async) return settleWorlds(ends, []);
  // What follows the call goes on before the callee's first await is over.
  const awaited = worlds[0]?.awaited ?? 'no';
  return settleWorlds(
    ends.map((world) => ({ ...world, awaited })),
    [],
  );
}
