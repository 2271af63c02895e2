import { effectOf } from '../../compose/effects.ts';
import { fieldsOf } from '../../compose/fields.ts';
import { defineRule } from '../define-rule.ts';

/** An effect that recovery repeats: a durable tool that crashes is run again. */
export default defineRule({
  code: 'FLUE3106',
  severity: 'hint',
  tier: 'G',
  check(project, report) {
    const { evaluator } = project.linker;
    for (const { term } of project.tools) {
      const { byName } = fieldsOf(evaluator, term);
      const durable = byName.get('durable')?.term;
      const run = byName.get('run')?.term;
      if (durable?.t !== 'literal' || durable.value !== true || run?.t !== 'function') continue;
      for (const call of run.module.calls) {
        if (call.start < run.module.functions[run.fn]!.start || call.end > run.module.functions[run.fn]!.end)
          continue;
        const context = project.contexts.of(run.module, call.owner);
        if (
          context.kind !== 'outside' ||
          context.where !== 'in a tool' ||
          !effectOf(evaluator, run.module, call)
        )
          continue;
        report({
          module: run.module,
          range: call,
          message: 'Recovery runs this call again. Wrap the effect in step.do().',
        });
      }
    }
  },
});
