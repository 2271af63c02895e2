import type { Block, Fn, FunctionId, Module, Op, Range, Value } from '../program.ts';
import { runCall } from './calls.ts';
import type { Exec, FlowSummary, Linker, Swap, Target } from './flow-types.ts';
import { OverBudget } from './flow-types.ts';
import { assume, equality, known, literalKey, trackedPaths } from './predicate.ts';
import { UNKNOWN } from './stability.ts';
import { bindingKey, type Env, NO_ENV, type Term } from './term.ts';
import { collapse, type Decider, START, settleWorlds, type World } from './world.ts';

/** Operations of one function before it counts as too complex (RULE-29). */
const MAX_NODES = 20_000;
/** Events carried from operation to operation, summed up: what keeps a body of thousands of hooks from costing its square. */
const MAX_CARRIED = 2_000_000;
/** Elements of a literal array that are run one by one. */
const MAX_UNROLL = 16;

/**
 * What one function does, on all its paths: one pass over its body in the order it runs, worlds forking at tests and
 * merging after them (RULE-23 to RULE-25). Callees come in as their summaries.
 */
export function summariseFlow(linker: Linker, module: Module, fn: Fn): FlowSummary {
  const exec: Exec = {
    linker,
    module,
    fn: fn.id,
    async: fn.async,
    env: NO_ENV,
    returns: [],
    targets: [],
    thrown: undefined,
    guards: [],
    tracked: trackedPaths(module, fn),
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
    const ends = runBlock(exec, fn.body, [START]);
    const exits = [...ends, ...exec.returns];
    noteEarlySwaps(exec, ends);
    return {
      module,
      fn,
      exit: collapse(exits, []),
      exits,
      late: exec.late,
      lateReads: exec.lateReads,
      returned: { withValue: exec.returned.withValue, without: exec.returned.without || ends.length > 0 },
      swaps: exec.swaps,
      limited: undefined,
      startsWithHook: startsWithHook(linker, module, fn),
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
    exit: START,
    exits: [START],
    late: new Map(),
    lateReads: [],
    returned: { withValue: true, without: false },
    swaps: [],
    limited: undefined,
    startsWithHook: false,
  };
}

function startsWithHook(linker: Linker, module: Module, fn: Fn): boolean {
  const first = fn.body.find(
    (op) => op.op === 'call' || op.op === 'await' || op.op === 'throw' || op.op === 'access',
  );
  if (first?.op !== 'call') return false;
  const callee = linker.evaluator.evaluate(module, module.calls[first.call]!.callee);
  return callee.t === 'api' && callee.name.startsWith('use');
}

function runBlock(exec: Exec, block: Block, worlds: readonly World[]): World[] {
  let current = [...worlds];
  for (const op of block) {
    if (current.length === 0) return current; // Unreachable from here on.
    if (--exec.nodes.left < 0) throw new OverBudget('it has too many branches');
    current = runOp(exec, op, current);
    for (const world of current) exec.nodes.carried -= world.counts.size;
    if (exec.nodes.carried < 0) throw new OverBudget('it reaches too many hooks');
  }
  return current;
}

function runOp(exec: Exec, op: Op, worlds: World[]): World[] {
  switch (op.op) {
    case 'call':
      return runCall(exec, exec.module.calls[op.call]!, worlds);
    case 'branch':
      return runBranch(exec, op, worlds);
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
      exec.thrown?.push(...worlds);
      return [];
    case 'await':
      exec.thrown?.push(...worlds);
      return exec.async ? worlds.map((world) => ({ ...world, awaited: 'must' as const })) : worlds;
    case 'read':
      noteRead(exec, op, worlds);
      return worlds;
    case 'access':
      exec.thrown?.push(...worlds);
      return worlds;
  }
}

/** A read of the render's values after control was given up, or after a write (FLUE2409). */
function noteRead(exec: Exec, op: Op & { op: 'read' }, worlds: readonly World[]): void {
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

function decider(exec: Exec, test: Value | undefined, range: Range): Decider {
  const steadiness = test ? exec.linker.stability.ofValue(exec.module, test, exec.env) : UNKNOWN;
  return { steadiness, module: exec.module, range: test ?? range };
}

function constantTruth(exec: Exec, test: Value): boolean | undefined {
  const term = exec.linker.evaluator.evaluate(exec.module, test, exec.env);
  if (term.t === 'literal') return Boolean(term.value);
  return term.t === 'object' || term.t === 'array' || term.t === 'function' ? true : undefined;
}

function runBranch(exec: Exec, op: Op & { op: 'branch' }, worlds: World[]): World[] {
  const { module } = exec;
  const constant = op.test.k === 'other' ? undefined : constantTruth(exec, op.test);
  const yes: World[] = [];
  const no: World[] = [];
  for (const world of worlds) {
    const truth = constant ?? known(module, world, op.test);
    if (truth !== false) yes.push(assume(module, world, op.test, true, exec.tracked));
    if (truth !== true) no.push(assume(module, world, op.test, false, exec.tracked));
  }
  const forks = yes.length > 0 && no.length > 0;
  const by = forks ? [decider(exec, op.test, op.range)] : [];
  if (forks) exec.guards.push(by[0]!);
  const then = runBlock(exec, op.yes, settleWorlds(yes, []));
  const otherwise = runBlock(exec, op.no, settleWorlds(no, []));
  if (forks) exec.guards.pop();
  if (forks) noteSwaps(exec, then, otherwise, by[0]!);
  return settleWorlds([...then, ...otherwise], by);
}

/** Two order-sensitive calls that both sides make, in opposite order (FLUE2202): the first such pair. */
function noteSwaps(exec: Exec, then: readonly World[], otherwise: readonly World[], by: Decider): void {
  for (const a of then) {
    for (const b of otherwise) {
      if (a.order === b.order || a.order.length < 2 || b.order.length < 2) continue;
      const swap = firstSwap(exec.linker, a, b);
      if (swap) {
        exec.swaps.push({ ...swap, decider: by });
        return;
      }
    }
  }
}

/** The same, where one of the paths has returned early. */
function noteEarlySwaps(exec: Exec, ends: readonly World[]): void {
  for (const left of exec.returns) {
    const by = left.guards.at(-1);
    if (!by || left.order.length < 2) continue;
    for (const other of [...ends, ...exec.returns]) {
      const swap = other === left ? undefined : firstSwap(exec.linker, left, other);
      if (!swap) continue;
      exec.swaps.push({ ...swap, decider: by });
      return;
    }
  }
}

function firstSwap(linker: Linker, a: World, b: World): Omit<Swap, 'decider'> | undefined {
  // What both did before they parted is in one order already.
  let shared = 0;
  while (shared < a.order.length && a.order[shared] === b.order[shared]) shared++;
  const own = a.order.slice(shared);
  const others = b.order.slice(shared);
  if (own.length < 2 || others.length < 2) return undefined;
  const places = new Map(others.map((event, index) => [linker.orderKey(event), index]));
  const common = own.filter((event) => places.has(linker.orderKey(event)));
  for (let i = 1; i < common.length; i++) {
    const first = common[i - 1]!;
    const second = common[i]!;
    if (places.get(linker.orderKey(first))! > places.get(linker.orderKey(second))!) return { first, second };
  }
  return undefined;
}

function runSwitch(exec: Exec, op: Op & { op: 'switch' }, worlds: World[]): World[] {
  const { module } = exec;
  const by = decider(exec, op.subject, op.range);
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
      const truth = constant ?? known(module, world, test);
      if (truth !== false) matched.push(assume(module, world, test, true, exec.tracked));
      if (truth !== true) rest.push(assume(module, world, test, false, exec.tracked));
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
  // Without types, a list of literal cases may be all there are: the path past it is not held against the author.
  const mayBeExhaustive =
    op.cases.length > 1 && op.cases.every((clause) => clause.test && literalKey(clause.test) !== undefined);
  const past = fallback >= 0 || mayBeExhaustive ? [] : unmatched;
  return settleWorlds([...flowing, ...target.breaks, ...past], [by]);
}

function runLoopOp(exec: Exec, op: Op & { op: 'loop' }, worlds: World[]): World[] {
  const { evaluator } = exec.linker;
  const over =
    op.over && op.form !== 'for-in' ? evaluator.evaluate(exec.module, op.over, exec.env) : undefined;
  const items = over?.t === 'array' && !over.open ? over.items : undefined;
  const endless =
    op.form !== 'do' && (op.test === undefined ? op.form === 'for' : constantTruth(exec, op.test) === true);
  const label = op.label;
  const body = (inner: World[]) => {
    const ends = runBlock(exec, op.body, inner);
    return ends;
  };
  const by = decider(exec, op.over ?? op.test, op.range);
  if (op.over)
    return runLoop(exec, { items, bindings: op.element, label, atLeastOnce: false, by }, body, worlds);
  if (op.form === 'do') {
    return runLoop(
      exec,
      { items: undefined, bindings: [], label, atLeastOnce: true, by },
      (inner) => runBlock(exec, op.testOps, body(inner)),
      worlds,
    );
  }
  const tested = runBlock(exec, op.testOps, worlds);
  if (op.test && constantTruth(exec, op.test) === false) return tested;
  const pass = (inner: World[]) => runBlock(exec, op.testOps, runBlock(exec, op.step, body(inner)));
  return runLoop(
    exec,
    { items: undefined, bindings: [], label, atLeastOnce: false, endless, by },
    pass,
    tested,
  );
}

/** One pass, then another: what a second pass adds is what repeats. Known elements are run one by one. */
function runLoop(
  exec: Exec,
  loop: {
    readonly items: readonly Term[] | undefined;
    readonly bindings: readonly number[];
    readonly label: string | undefined;
    readonly atLeastOnce: boolean;
    readonly endless?: boolean;
    readonly by: Decider;
  },
  body: (worlds: World[]) => World[],
  worlds: World[],
): World[] {
  const target: Target = { label: loop.label, isLoop: true, breaks: [], continues: [] };
  const { items } = loop;
  if (items && items.length <= MAX_UNROLL) {
    let current = worlds;
    for (const item of items) {
      if (current.length === 0) break;
      current = withElement(exec, loop.bindings, item, () => pass(exec, target, body, current));
    }
    return settleWorlds([...current, ...target.breaks], []);
  }
  const passes = items ? 2 : undefined;
  exec.guards.push(loop.by);
  const once = pass(exec, target, body, worlds);
  const twice = once.length > 0 ? pass(exec, target, body, once) : [];
  exec.guards.pop();
  const none = loop.atLeastOnce || passes || loop.endless ? [] : worlds;
  const ends = passes ? twice : loop.endless ? [] : [...once, ...twice];
  return settleWorlds([...none, ...ends, ...target.breaks], [loop.by]);
}

function pass(
  exec: Exec,
  target: Target,
  body: (worlds: World[]) => World[],
  worlds: readonly World[],
): World[] {
  exec.targets.push(target);
  target.continues = [];
  const ends = body([...worlds]);
  exec.targets.pop();
  return settleWorlds([...ends, ...target.continues], []);
}

function withElement<T>(exec: Exec, bindings: readonly number[], item: Term, run: () => T): T {
  const outer = exec.env;
  const { evaluator } = exec.linker;
  const env = new Map(outer);
  for (const id of bindings) {
    let term: Term = item;
    for (const step of exec.module.bindings[id]!.path ?? []) {
      term =
        typeof step === 'string' ? evaluator.member(term, step) : { t: 'opaque', reason: 'unknown-spread' };
    }
    env.set(bindingKey(exec.module, id), term);
  }
  exec.env = env;
  const result = run();
  exec.env = outer;
  return result;
}

function runTry(exec: Exec, op: Op & { op: 'try' }, worlds: World[]): World[] {
  const outerThrown = exec.thrown;
  const leaving = op.finalizer ? interceptExits(exec) : undefined;
  exec.thrown = [];
  let ends = runBlock(exec, op.body, worlds);
  const thrown = collapseThrown(exec.thrown);
  exec.thrown = outerThrown;
  if (op.handler) {
    const by: Decider = { steadiness: UNKNOWN, module: exec.module, range: firstRange(exec, op.body) };
    exec.guards.push(by);
    const handled = thrown ? runBlock(exec, op.handler, [thrown]) : [];
    exec.guards.pop();
    ends = settleWorlds([...ends, ...handled], [by]);
  } else if (thrown) outerThrown?.push(thrown);
  if (!op.finalizer || !leaving) return ends;
  return leaving.resume(op.finalizer, ends);
}

function collapseThrown(worlds: readonly World[]): World | undefined {
  return collapse(worlds, []);
}

function firstRange(exec: Exec, body: Block): Range {
  const op = body.find((candidate) => candidate.op === 'call' || 'range' in candidate);
  if (op?.op === 'call') return exec.module.calls[op.call]!;
  return op && 'range' in op ? op.range : exec.module.functions[exec.fn]!;
}

/** `finally` runs on the way out, whichever way that is. */
function interceptExits(exec: Exec): { resume(finalizer: Block, ends: World[]): World[] } {
  const returnsBefore = exec.returns;
  const targetsBefore = exec.targets.map((target) => ({
    target,
    breaks: target.breaks,
    continues: target.continues,
  }));
  exec.returns = [];
  for (const { target } of targetsBefore) {
    target.breaks = [];
    target.continues = [];
  }
  return {
    resume(finalizer, ends) {
      const returned = exec.returns;
      exec.returns = returnsBefore;
      const pending = targetsBefore.map(({ target, breaks, continues }) => {
        const left = { breaks: target.breaks, continues: target.continues };
        target.breaks = breaks;
        target.continues = continues;
        return { target, ...left };
      });
      const through = (worlds: World[]) =>
        worlds.length > 0 ? runBlock(exec, finalizer, settleWorlds(worlds, [])) : [];
      const after = through(ends);
      exec.returns.push(...through(returned));
      for (const { target, breaks, continues } of pending) {
        target.breaks.push(...through(breaks));
        target.continues.push(...through(continues));
      }
      return after;
    },
  };
}

/** Run the body of a function where it is written: an IIFE, or a callback that is called at once. */
function runBody(exec: Exec, id: FunctionId, env: Env, worlds: World[]): World[] {
  const fn = exec.module.functions[id]!;
  if (fn.generator || exec.inlined.includes(id)) return worlds;
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
  exec.inlined.push(id);
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
