import type { Block, Op, Range } from '../program.ts';
import type { Exec, Refusal } from './flow-types.ts';
import { forgetCalls } from './predicate.ts';
import { UNKNOWN } from './stability.ts';
import { type Decider, settleWorlds, type World } from './world.ts';

export function runTry(exec: Exec, op: Op & { op: 'try' }, worlds: World[]): World[] {
  const outer = { thrown: exec.thrown, refusal: exec.refusal };
  const around = op.finalizer ? refusalThrough(op.finalizer, outer.refusal) : outer.refusal;
  const leaving = op.finalizer ? interceptExits(exec) : undefined;
  exec.thrown = [];
  exec.refusal = op.handler ? { fails: false, isTaken: true } : around;
  let ends = exec.runBlock(exec, op.body, worlds);
  let thrown = thrownHere(exec);
  if (op.handler) {
    const by: Decider = { steadiness: UNKNOWN, module: exec.module, range: firstRange(exec, op.body) };
    exec.thrown = leaving ? [] : outer.thrown;
    exec.refusal = around;
    exec.guards.push(by);
    const handled = exec.runBlock(exec, op.handler, thrown);
    exec.guards.pop();
    ends = settleWorlds([...ends, ...handled], [by]);
    thrown = leaving ? thrownHere(exec) : [];
  }
  Object.assign(exec, outer);
  return op.finalizer && leaving ? leaving.resume(op.finalizer, ends, thrown) : ends;
}

function thrownHere(exec: Exec): World[] {
  return settleWorlds(forgetCalls(exec.frame, exec.thrown ?? []), []);
}

/** A `finally` that leaves by itself takes whatever was thrown; one that is left at its end passes it on. */
function refusalThrough(finalizer: Block, outer: Refusal): Refusal {
  const leaves = leavesItself(finalizer);
  return {
    fails: outer.fails && leaves !== 'always',
    isTaken: outer.isTaken || leaves !== 'never',
  };
}

type Leaves = 'always' | 'sometimes' | 'never';

function leavesItself(block: Block, own: readonly string[] = []): Leaves {
  let found: Leaves = 'never';
  for (const op of block) {
    const leaves = opLeaves(op, own);
    if (leaves === 'always') return 'always';
    if (leaves === 'sometimes') found = 'sometimes';
  }
  return found;
}

/** `own`: labels inside the block, `''` for a loop and `'switch'` for a `switch`: a jump to one of these stays inside. */
function opLeaves(op: Op, own: readonly string[]): Leaves {
  switch (op.op) {
    case 'return':
    case 'throw':
      return 'always';
    case 'jump': {
      const stays =
        op.label === undefined
          ? own.includes('') || (op.to === 'break' && own.includes('switch'))
          : own.includes(op.label);
      return stays ? 'never' : 'always';
    }
    case 'branch': {
      const sides = [leavesItself(op.yes, own), leavesItself(op.no, own)];
      if (sides.every((side) => side === 'always')) return 'always';
      return sides.every((side) => side === 'never') ? 'never' : 'sometimes';
    }
    case 'switch': {
      const inner = [...own, 'switch'];
      return op.cases.every(({ body }) => leavesItself(body, inner) === 'never') ? 'never' : 'sometimes';
    }
    case 'loop':
      return leavesItself(op.body, [...own, '']) === 'never' ? 'never' : 'sometimes';
    case 'labelled':
      return leavesItself(op.body, [...own, op.label]) === 'never' ? 'never' : 'sometimes';
    case 'try': {
      const parts = [op.body, op.handler ?? [], op.finalizer ?? []].map((part) => leavesItself(part, own));
      if (parts[2] === 'always') return 'always';
      return parts.every((part) => part === 'never') ? 'never' : 'sometimes';
    }
    default:
      return 'never';
  }
}

function firstRange(exec: Exec, body: Block): Range {
  const op = body.find((candidate) => candidate.op === 'call' || 'range' in candidate);
  if (op?.op === 'call') return exec.module.calls[op.call]!;
  return op && 'range' in op ? op.range : exec.module.functions[exec.fn]!;
}

/** `finally` runs on the way out, whichever way that is. */
function interceptExits(exec: Exec): {
  resume(finalizer: Block, ends: World[], thrown: World[]): World[];
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
      // Where it does not leave by itself, it throws on.
      const thrownOn = through(thrown);
      exec.thrown?.push(...thrownOn);
      exec.returns.push(...through(returned));
      for (const { target, breaks, continues } of pending) {
        target.breaks.push(...through(breaks));
        target.continues.push(...through(continues));
      }
      return after;
    },
  };
}
