import type { Evaluator } from '../../compose/evaluate.ts';
import type { Term } from '../../compose/term.ts';
import type { Module, Op, Value } from '../../program.ts';
import { defineRule } from '../define-rule.ts';

/** An agent that returns something other than its instruction (AGENT-03). */
export default defineRule({
  code: 'FLUE2305',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    const seen = new Set<Value>();
    for (const { kind, module, fn } of project.roots) {
      if (kind === 'render' || fn.async || fn.generator) continue;
      for (const value of returnsOf(fn.body)) {
        if (seen.has(value)) continue;
        seen.add(value);
        const wrong = judge(project.linker.evaluator, module, value);
        if (!wrong) continue;
        const returnsNull = value.k === 'literal' && value.value === null && fn.bodyRange.start < value.start;
        const keyword = module.text.slice(0, value.start).trimEnd();
        report({
          module,
          range: value,
          message: `An agent returns its instruction string or nothing; this returns ${wrong.type}.`,
          severity: wrong.always ? 'error' : 'warning',
          fixes:
            returnsNull && keyword.endsWith('return')
              ? [
                  {
                    title: 'Return nothing',
                    safe: true,
                    edits: [{ start: keyword.length, end: value.end, text: '' }],
                  },
                ]
              : [],
        });
      }
    }
  },
});

/** Values of the function's own `return`s. */
function returnsOf(block: readonly Op[]): Value[] {
  return block.flatMap((op): Value[] => {
    switch (op.op) {
      case 'return':
        return op.value ? [op.value] : [];
      case 'branch':
        return [...returnsOf(op.yes), ...returnsOf(op.no)];
      case 'loop':
      case 'labelled':
        return returnsOf(op.body);
      case 'switch':
        return op.cases.flatMap((clause) => returnsOf(clause.body));
      case 'try':
        return [op.body, op.handler ?? [], op.finalizer ?? []].flatMap(returnsOf);
      default:
        return [];
    }
  });
}

function judge(
  evaluator: Evaluator,
  module: Module,
  value: Value,
): { type: string; always: boolean } | undefined {
  if (value.k === 'jsx') return { type: 'JSX', always: true };
  if (value.k === 'bigint' || value.k === 'regexp')
    return { type: value.k === 'bigint' ? 'a bigint' : 'an object', always: true };
  if (value.k === 'conditional') {
    const wrong = judge(evaluator, module, value.yes) ?? judge(evaluator, module, value.no);
    return wrong && { ...wrong, always: false };
  }
  if (value.k === 'logical' && value.op === '&&' && isBoolean(value.left))
    return { type: 'a boolean on some paths', always: false };
  if (isBoolean(value)) return { type: 'a boolean', always: true };
  const type = typeName(evaluator.evaluate(module, value));
  return type === undefined ? undefined : { type, always: true };
}

function isBoolean(value: Value): boolean {
  if (value.k === 'unary') return value.op === '!';
  return value.k === 'binary' && /^(?:[!=]==?|[<>]=?|in|instanceof)$/.test(value.op);
}

function typeName(term: Term): string | undefined {
  switch (term.t) {
    case 'literal':
      if (term.value === null) return 'null';
      return typeof term.value === 'string' || term.value === undefined
        ? undefined
        : `a ${typeof term.value}`;
    case 'object':
      return 'an object';
    case 'array':
      return 'an array';
    case 'function':
    case 'class':
      return 'a function';
    default:
      return undefined;
  }
}
