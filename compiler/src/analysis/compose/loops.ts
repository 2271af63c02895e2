import type { Op, Range } from '../program.ts';
import { constantTruth, deciderOf } from './deciders.ts';
import type { Exec, Target } from './flow-types.ts';
import { forgetDeclaredIn } from './predicate.ts';
import { bindingKey, type Term } from './term.ts';
import { type Decider, settleWorlds, type World } from './world.ts';

/** Elements of a literal array that are run one by one. */
const MAX_UNROLL = 16;

export function runLoopOp(exec: Exec, op: Op & { op: 'loop' }, worlds: World[]): World[] {
  const { evaluator } = exec.linker;
  const over =
    op.over && op.form !== 'for-in' ? evaluator.evaluate(exec.module, op.over, exec.env) : undefined;
  const items = over?.t === 'array' && !over.open ? over.items : undefined;
  const endless =
    op.form !== 'do' && (op.test === undefined ? op.form === 'for' : constantTruth(exec, op.test) === true);
  const label = op.label;
  const body = (inner: World[]) => {
    const ends = exec.runBlock(exec, op.body, inner);
    return ends;
  };
  const { range } = op;
  const by = deciderOf(exec, op.over ?? op.test, range);
  if (op.over)
    return runLoop(exec, { items, bindings: op.element, label, atLeastOnce: false, by, range }, body, worlds);
  if (op.form === 'do') {
    return runLoop(
      exec,
      { items: undefined, bindings: [], label, atLeastOnce: true, by, range },
      (inner) => exec.runBlock(exec, op.testOps, body(inner)),
      worlds,
    );
  }
  const tested = exec.runBlock(exec, op.testOps, worlds);
  if (op.test && constantTruth(exec, op.test) === false) return tested;
  const pass = (inner: World[]) => exec.runBlock(exec, op.testOps, exec.runBlock(exec, op.step, body(inner)));
  return runLoop(
    exec,
    { items: undefined, bindings: [], label, atLeastOnce: false, endless, by, range },
    pass,
    tested,
  );
}

/** One pass, then another: what a second pass adds is what repeats. Known elements are run one by one. */
export function runLoop(
  exec: Exec,
  loop: {
    readonly items: readonly Term[] | undefined;
    readonly bindings: readonly number[];
    readonly label: string | undefined;
    readonly atLeastOnce: boolean;
    readonly endless?: boolean;
    readonly by: Decider;
    readonly range: Range;
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
      current = withElement(exec, loop.bindings, item, () => pass(exec, loop.range, target, body, current));
    }
    return settleWorlds(forgetDeclaredIn(exec.frame, loop.range, [...current, ...target.breaks]), []);
  }
  const passes = items ? 2 : undefined;
  exec.guards.push(loop.by);
  const once = pass(exec, loop.range, target, body, worlds);
  const twice = once.length > 0 ? pass(exec, loop.range, target, body, once) : [];
  // Left from within, it may be left after both passes, before the third does anything.
  if (loop.endless && twice.length > 0) pass(exec, loop.range, target, body, twice);
  exec.guards.pop();
  const none = loop.atLeastOnce || passes || loop.endless ? [] : worlds;
  const ends = passes ? twice : loop.endless ? [] : [...once, ...twice];
  const all = [...none, ...ends, ...target.breaks];
  return settleWorlds(forgetDeclaredIn(exec.frame, loop.range, all), [loop.by]);
}

function pass(
  exec: Exec,
  range: Range,
  target: Target,
  body: (worlds: World[]) => World[],
  worlds: readonly World[],
): World[] {
  exec.targets.push(target);
  target.continues = [];
  const ends = body(forgetDeclaredIn(exec.frame, range, worlds));
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
