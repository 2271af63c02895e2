import type { Block, Op, Range } from '../program.ts';
import type { Exec, Thrown } from './flow-types.ts';
import { forgetCalls } from './predicate.ts';
import { UNKNOWN } from './stability.ts';
import { throwOut } from './throws.ts';
import { type Decider, settleWorlds, type World } from './world.ts';

export function runTry(exec: Exec, op: Op & { op: 'try' }, worlds: World[]): World[] {
  const outer = exec.thrown;
  const leaving = op.finalizer ? interceptExits(exec) : undefined;
  exec.thrown = [];
  let ends = exec.runBlock(exec, op.body, worlds);
  let { thrown } = exec;
  if (op.handler) {
    const by: Decider = { steadiness: UNKNOWN, module: exec.module, range: firstRange(exec, op.body) };
    const taken = settleWorlds(forgetCalls(exec.frame, worldsOf(thrown)), []);
    thrown = [];
    exec.thrown = leaving ? thrown : outer;
    exec.guards.push(by);
    const handled = exec.runBlock(exec, op.handler, taken);
    exec.guards.pop();
    ends = settleWorlds([...ends, ...handled], [by]);
  }
  exec.thrown = outer;
  return op.finalizer && leaving ? leaving.resume(op.finalizer, ends, thrown) : ends;
}

function worldsOf(thrown: readonly Thrown[]): World[] {
  return thrown.map(({ world }) => world);
}

/** One group for each hook that was refused, and one for all other errors. */
function byRefusal(thrown: readonly Thrown[]): Thrown[][] {
  const groups = new Map<string | undefined, Thrown[]>();
  for (const one of thrown) {
    const key = one.refused && `${one.refused.key} ${one.refused.count.second?.site}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

function firstRange(exec: Exec, body: Block): Range {
  const op = body.find((candidate) => candidate.op === 'call' || 'range' in candidate);
  if (op?.op === 'call') return exec.module.calls[op.call]!;
  return op && 'range' in op ? op.range : exec.module.functions[exec.fn]!;
}

/** `finally` runs on the way out, whichever way that is. */
function interceptExits(exec: Exec): {
  resume(finalizer: Block, ends: World[], thrown: readonly Thrown[]): World[];
} {
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
    resume(finalizer, ends, thrown) {
      const returned = exec.returns;
      exec.returns = returnsBefore;
      const pending = targetsBefore.map(({ target, breaks, continues }) => {
        const left = { breaks: target.breaks, continues: target.continues };
        target.breaks = breaks;
        target.continues = continues;
        return { target, ...left };
      });
      const through = (worlds: World[]) =>
        worlds.length > 0 ? exec.runBlock(exec, finalizer, settleWorlds(worlds, [])) : [];
      const after = through(ends);
      // Where it does not leave by itself, the error goes on.
      for (const group of byRefusal(thrown))
        throwOut(exec, through(forgetCalls(exec.frame, worldsOf(group))), group[0]?.refused);
      exec.returns.push(...through(returned));
      for (const { target, breaks, continues } of pending) {
        target.breaks.push(...through(breaks));
        target.continues.push(...through(continues));
      }
      return after;
    },
  };
}
