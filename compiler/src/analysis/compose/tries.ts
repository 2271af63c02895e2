import type { Block, Op, Range } from '../program.ts';
import type { Exec } from './flow-types.ts';
import { UNKNOWN } from './stability.ts';
import { collapse, type Decider, settleWorlds, type World } from './world.ts';

export function runTry(exec: Exec, op: Op & { op: 'try' }, worlds: World[]): World[] {
  const outerThrown = exec.thrown;
  const leaving = op.finalizer ? interceptExits(exec) : undefined;
  exec.thrown = [];
  let ends = exec.runBlock(exec, op.body, worlds);
  const thrown = collapse(exec.thrown, []);
  exec.thrown = outerThrown;
  if (op.handler) {
    const by: Decider = { steadiness: UNKNOWN, module: exec.module, range: firstRange(exec, op.body) };
    exec.guards.push(by);
    const handled = thrown ? exec.runBlock(exec, op.handler, [thrown]) : [];
    exec.guards.pop();
    ends = settleWorlds([...ends, ...handled], [by]);
  } else if (thrown) outerThrown?.push(thrown);
  if (!op.finalizer || !leaving) return ends;
  return leaving.resume(op.finalizer, ends);
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
        worlds.length > 0 ? exec.runBlock(exec, finalizer, settleWorlds(worlds, [])) : [];
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
