import { eventsOf } from '../../compose/renders.ts';
import { defineRule } from '../define-rule.ts';

/** A step within a step, which a replay of the outer one skips (STEP-11). */
export default defineRule({
  code: 'FLUE3104',
  severity: 'hint',
  tier: 'S',
  check(project, report) {
    const seen = new Set<string>();
    for (const { module, call } of project.steps) {
      const value = call.args[1]?.value;
      const work = value && project.linker.evaluator.evaluate(module, value);
      if (work?.t !== 'function') continue;
      for (const { first } of eventsOf(project.linker.flowOf(work.module, work.fn), 'step')) {
        const key = `${first.module.path}#${first.call.id}`;
        if (seen.has(key)) continue;
        seen.add(key);
        report({
          module: first.module,
          range: first.call,
          message:
            'A step inside a step is skipped when the outer one replays. Run them one after the other.',
          related: [{ module, range: call, message: 'the outer step' }],
        });
      }
    }
  },
});
