import { SUBAGENT_FIELDS, THINKING_LEVELS } from '@flue/runtime/internal';
import { fieldsOf } from '../../compose/fields.ts';
import {
  anything,
  callable,
  compaction,
  compactionProblems,
  type FieldCheck,
  fieldProblems,
  oneOf,
  text,
} from '../../compose/options.ts';
import { defineRule } from '../define-rule.ts';

const CHECKS: Readonly<Record<string, FieldCheck>> = {
  ...Object.fromEntries(SUBAGENT_FIELDS.map((field) => [field, anything])),
  name: text,
  description: text,
  model: text,
  thinkingLevel: oneOf(THINKING_LEVELS),
  agent: callable,
  compaction,
};
const REQUIRED = ['name', 'description', 'agent'];

/** A delegate that its validator refuses (DELEG-01). */
export default defineRule({
  code: 'FLUE3301',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    const { evaluator } = project.linker;
    for (const { term } of project.subagents) {
      const { byName, closed } = fieldsOf(evaluator, term);
      const label = byName.get('name')?.term;
      const title = label?.t === 'literal' ? `"${String(label.value)}"` : 'without a name';
      const found = [
        ...fieldProblems(evaluator, term, CHECKS).map((one) => ({ ...one, prefix: '' })),
        ...compactionProblems(evaluator, term).map((one) => ({ ...one, prefix: 'compaction.' })),
      ];
      for (const { field, problem, suggestion, prefix } of found) {
        const isUnknown = problem === 'unknown field';
        report({
          module: field.module,
          range: isUnknown ? field.keyRange : field.value,
          message: `Subagent ${title}: ${isUnknown ? `unknown field "${prefix}${field.key}"` : `${prefix}${field.key} ${problem}`}.${suggestion ? ` Did you mean ${suggestion}?` : ''}`,
          fixes: suggestion
            ? [
                {
                  title: `Rename to ${suggestion}`,
                  safe: true,
                  edits: [{ ...field.keyRange, text: suggestion }],
                },
              ]
            : [],
        });
      }
      for (const key of REQUIRED) {
        if (!closed || byName.has(key)) continue;
        report({ module: term.module, range: term.value, message: `Subagent ${title}: ${key} is missing.` });
      }
    }
  },
});
