import { DURABILITY_FIELDS } from '@flue/runtime/internal';
import { type Field, fieldsOf } from '../../compose/fields.ts';
import type { Term } from '../../compose/term.ts';
import { suggest } from '../../suggest.ts';
import { defineRule, type Finding } from '../define-rule.ts';

/** A retry policy that registration would refuse (STATIC-05, STATIC-06). */
export default defineRule({
  code: 'FLUE1109',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    const { evaluator } = project.linker;
    for (const { module, statics } of project.agents) {
      for (const { name, assignment } of statics) {
        if (name !== 'durability') continue;
        const term = evaluator.evaluate(module, assignment.value);
        for (const option of term.t === 'choice' ? term.options : [term]) {
          if (isNoObject(option)) {
            report({ module, range: assignment.value, message: 'durability: it must be an object.' });
          }
          if (option.t !== 'object') continue;
          for (const field of fieldsOf(evaluator, option).byName.values()) {
            const problem = problemOf(field);
            if (problem) report(problem);
          }
        }
      }
    }
  },
});

function isNoObject(term: Term): boolean {
  return (term.t === 'literal' && term.value !== undefined) || term.t === 'array' || term.t === 'function';
}

function problemOf(field: Field): Finding | undefined {
  const { module, key, keyRange, value, term } = field;
  if (!(DURABILITY_FIELDS as readonly string[]).includes(key)) {
    const suggestion = suggest(key, DURABILITY_FIELDS, 3);
    return {
      module,
      range: keyRange,
      message: `durability.${key}: unknown field.${suggestion ? ` Did you mean ${suggestion}?` : ''}`,
      fixes: suggestion
        ? [{ title: `Rename to ${suggestion}`, safe: true, edits: [{ ...keyRange, text: suggestion }] }]
        : [],
    };
  }
  const isOther = term.t === 'object' || term.t === 'array' || term.t === 'function';
  const isWrong = term.t === 'literal' && term.value !== undefined && !isPositiveInteger(term.value);
  if (!isOther && !isWrong) return undefined;
  return { module, range: value, message: `durability.${key}: must be a positive integer.` };
}

function isPositiveInteger(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}
