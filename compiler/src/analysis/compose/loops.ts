import type { Op } from '../program.ts';
import { constantTruth, deciderOf } from './deciders.ts';
import type { Exec, Target } from './flow-types.ts';
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
  const by = deciderOf(exec, op.over ?? op.test, op.range);
  if (op.over)
    return runLoop(exec, { items, bindings: op.element, label, atLeastOnce: false, by }, body, worlds);
  if (op.form === 'do') {
    return runLoop(
      exec,
      { items: undefined, bindings: [], label, atLeastOnce: true, by },
      (inner) => exec.runBlock(exec, op.testOps, body(inner)),
      worlds,
    );
  }
  const tested = exec.runBlock(exec, op.testOps, worlds);
  if (op.test && constantTruth(exec, op.test) === false) return tested;
  const pass = (inner: World[]) => exec.runBlock(exec, op.testOps, exec.runBlock(exec, op.step, body(inner)));
  return runLoop(
    exec,
    { items: undefined, bindings: [], label, atLeastOnce: false, endless, by },
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
