import { THINKING_LEVELS } from '@flue/runtime/internal';
import type { Evaluator } from '../../compose/evaluate.ts';
import type { ObjectTerm } from '../../compose/fields.ts';
import {
  anything,
  compaction,
  compactionProblems,
  type FieldCheck,
  type FieldProblem,
  fieldProblems,
  oneOf,
  text,
} from '../../compose/options.ts';
import { defineRule } from '../define-rule.ts';

const OPTIONS: Readonly<Record<string, Readonly<Record<string, FieldCheck>>>> = {
  useModel: {
    thinkingLevel: oneOf(THINKING_LEVELS),
    compaction,
  },
  useSandbox: { cwd: text },
  useDataWriter: { schema: anything },
};

/** Options that the hook would refuse. */
export default defineRule({
  code: 'FLUE2401',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    const { evaluator } = project.linker;
    for (const { module, call, name } of project.apiCalls) {
      const checks = OPTIONS[name];
      const argument = call.args[1];
      if (!checks || !argument || argument.spread) continue;
      const options = evaluator.evaluate(module, argument.value);
      if (options.t !== 'object') continue;
      for (const { field, problem, suggestion, prefix } of problemsOf(evaluator, options, checks)) {
        report({
          module: field.module,
          range: suggestion === undefined ? field.value : field.keyRange,
          message: `${name}() option ${prefix}${field.key}: ${problem}.${suggestion ? ` Did you mean ${suggestion}?` : ''}`,
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
    }
  },
});

function problemsOf(
  evaluator: Evaluator,
  options: ObjectTerm,
  checks: Readonly<Record<string, FieldCheck>>,
): (FieldProblem & { prefix: string })[] {
  const own = fieldProblems(evaluator, options, checks).map((problem) => ({ ...problem, prefix: '' }));
  const inside = 'compaction' in checks ? compactionProblems(evaluator, options) : [];
  return [...own, ...inside.map((problem) => ({ ...problem, prefix: 'compaction.' }))];
}
