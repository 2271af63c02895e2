import type { Fn, Op, Value } from '../program.ts';

const returnsOf = new WeakMap<Fn, readonly (Value | null)[] | undefined>();

/**
 * What a function may return, when it returns a few things in plain sight: every `return` outside loops and `try`.
 * `undefined` when it may also fall off its end, or returns in a way that is not followed.
 */
export function returnValues(fn: Fn): readonly (Value | null)[] | undefined {
  if (returnsOf.has(fn)) return returnsOf.get(fn);
  const found: (Value | null)[] = [];
  const closed = collectReturns(fn.body, found);
  const result = closed === 'always' && found.length <= 4 ? found : undefined;
  returnsOf.set(fn, result);
  return result;
}

function collectReturns(block: readonly Op[], found: (Value | null)[]): 'always' | 'sometimes' | 'unclear' {
  for (const op of block) {
    if (op.op === 'return') {
      found.push(op.value);
      return 'always';
    }
    if (op.op === 'throw') return 'always';
    if (op.op === 'branch') {
      const then = collectReturns(op.yes, found);
      const otherwise = collectReturns(op.no, found);
      if (then === 'unclear' || otherwise === 'unclear') return 'unclear';
      if (then === 'always' && otherwise === 'always') return 'always';
    } else if (op.op === 'loop' || op.op === 'try' || op.op === 'switch' || op.op === 'labelled') {
      if (mentionsReturn(op)) return 'unclear';
    }
  }
  return 'sometimes';
}

function mentionsReturn(op: Op): boolean {
  switch (op.op) {
    case 'return':
      return true;
    case 'branch':
      return op.yes.some(mentionsReturn) || op.no.some(mentionsReturn);
    case 'loop':
      return op.body.some(mentionsReturn);
    case 'try':
      return [op.body, op.handler ?? [], op.finalizer ?? []].some((block) => block.some(mentionsReturn));
    case 'switch':
      return op.cases.some((clause) => clause.body.some(mentionsReturn));
    case 'labelled':
      return op.body.some(mentionsReturn);
    default:
      return false;
  }
}
