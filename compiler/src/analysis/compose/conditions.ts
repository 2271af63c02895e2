import type { Block, Op, Value } from '../program.ts';
import { constantTruth, deciderOf } from './deciders.ts';
import type { Exec } from './flow-types.ts';
import { assume, known } from './predicate.ts';
import { noteSwaps } from './swaps.ts';
import { type Decider, settleWorlds, type World } from './world.ts';

type Branch = Op & { op: 'branch' };

/** Paths on which a test stands for `value`: for what is left to ask of it, where a part of it has decided already. */
interface Reached {
  readonly worlds: readonly World[];
  readonly value: Value;
}

/** The two sides of a test, and what decides between them. */
interface Sides {
  readonly yes: readonly World[];
  readonly no: readonly World[];
  readonly by: readonly Decider[];
}

/**
 * `(a() && b()) || c()` asks for `a()` once, although two branches come of it: the second is told by each path of the
 * first which way that went, since no name stands for what `a()` gave (RULE-23, RULE-24).
 */
export function runBranch(exec: Exec, before: Block, op: Branch, worlds: readonly World[]): World[] {
  const { reached, by: within } = evaluate(exec, before, worlds, op.test);
  const { yes, no, by } = sidesOf(exec, op, reached);
  exec.guards.push(...by);
  const then = exec.runBlock(exec, op.yes, settleWorlds(yes, within));
  const otherwise = exec.runBlock(exec, op.no, settleWorlds(no, within));
  if (by.length > 0) exec.guards.pop();
  if (by[0] && exec.hops.length === 0) noteSwaps(exec, then, otherwise, by[0]);
  return settleWorlds([...then, ...otherwise], by);
}

/** Whether the operation tests what the one before it gives: both are parts of one condition. */
export function continues(op: Op | undefined, before: Op): op is Branch {
  return op?.op === 'branch' && before.op === 'branch' && rests(op.test, before);
}

function rests(test: Value, on: Branch): boolean {
  const { value } = withoutNots(test);
  return value.k === 'logical' && (isOf(on, value) || rests(value.left, on));
}

/** Whether the branch is what is left of the value once its left side is known. */
function isOf({ range }: Branch, value: Value): boolean {
  return range.start === value.start && range.end === value.end;
}

/** Run what computes the value, keeping paths apart that leave it decided. */
function evaluate(
  exec: Exec,
  block: Block,
  worlds: readonly World[],
  whole: Value,
): { readonly reached: readonly Reached[]; readonly by: readonly Decider[] } {
  const { value, negated } = withoutNots(whole);
  const op = block.at(-1);
  if (value.k !== 'logical' || value.op === '??' || op?.op !== 'branch')
    return { reached: [{ worlds: exec.runBlock(exec, block, worlds), value: whole }], by: [] };
  const signed = (one: Reached) => (negated ? { ...one, value: not(one.value) } : one);
  if (!isOf(op, value)) {
    // Its right side does nothing.
    const { reached, by } = evaluate(exec, block, worlds, value.left);
    return { reached: reached.map((one) => signed({ ...one, value: { ...value, left: one.value } })), by };
  }
  const left = evaluate(exec, block.slice(0, -1), worlds, value.left);
  const { yes, no, by } = sidesOf(exec, op, left.reached);
  const [short, long, rest] = value.op === '||' ? [yes, no, op.no] : [no, yes, op.yes];
  exec.guards.push(...by);
  const right = evaluate(exec, rest, settleWorlds(long, left.by), value.right);
  if (by.length > 0) exec.guards.pop();
  const { start, end } = value;
  const decided: Value = { k: 'literal', value: value.op === '||', start, end };
  return {
    reached: [{ worlds: settleWorlds(short, left.by), value: decided }, ...right.reached].map(signed),
    by: [...left.by, ...right.by, ...by],
  };
}

function sidesOf(exec: Exec, op: Branch, reached: readonly Reached[]): Sides {
  const { frame, tracked } = exec;
  const yes: World[] = [];
  const no: World[] = [];
  for (const { worlds, value } of reached) {
    const constant = value.k === 'other' ? undefined : constantTruth(exec, value);
    for (const world of worlds) {
      const truth = constant ?? known(frame, world, value);
      if (truth !== false) yes.push(...assume(frame, world, value, true, tracked));
      if (truth !== true) no.push(...assume(frame, world, value, false, tracked));
    }
  }
  const forks = yes.length > 0 && no.length > 0;
  return { yes, no, by: forks ? [deciderOf(exec, op.test, op.range)] : [] };
}

function withoutNots(test: Value): { readonly value: Value; readonly negated: boolean } {
  if (test.k !== 'unary' || test.op !== '!') return { value: test, negated: false };
  const { value, negated } = withoutNots(test.operand);
  return { value, negated: !negated };
}

function not(operand: Value): Value {
  const { start, end } = operand;
  return { k: 'unary', op: '!', operand, start, end };
}
