import type { Fn, Module, Op } from '../../program.ts';
import { defineRule, type Repair } from '../define-rule.ts';

/** A rendered function that cannot return synchronously. */
export default defineRule({
  code: 'FLUE1006',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    const seen = new Set<Fn>();
    for (const { module, fn, name, nameRange, kind } of project.roots) {
      if (kind === 'render' || seen.has(fn) || (!fn.async && !fn.generator)) continue;
      seen.add(fn);
      report({
        module,
        range: nameRange,
        message: `Agents must be synchronous: "${name}" is ${fn.generator ? 'a generator' : 'async'}. Move the asynchronous work into a tool or useAgentStart().`,
        fixes: withoutAsync(module, fn),
      });
    }
  },
});

function withoutAsync(module: Module, fn: Fn): Repair[] {
  if (!fn.async || fn.generator || fn.body.some(waits)) return [];
  const keyword = /\basync\s+/.exec(module.text.slice(fn.start, fn.bodyRange.start));
  if (!keyword) return [];
  const start = fn.start + keyword.index;
  return [
    { title: 'Remove async', safe: false, edits: [{ start, end: start + keyword[0].length, text: '' }] },
  ];
}

function waits(op: Op): boolean {
  switch (op.op) {
    case 'await':
      return true;
    case 'branch':
      return op.yes.some(waits) || op.no.some(waits);
    case 'loop':
      return [...op.testOps, ...op.body, ...op.step].some(waits);
    case 'switch':
      return op.cases.some((clause) => [...clause.testOps, ...clause.body].some(waits));
    case 'try':
      return [...op.body, ...(op.handler ?? []), ...(op.finalizer ?? [])].some(waits);
    case 'labelled':
      return op.body.some(waits);
    default:
      return false;
  }
}
