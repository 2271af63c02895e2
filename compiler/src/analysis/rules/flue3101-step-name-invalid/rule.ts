import { isKnown } from '../../compose/options.ts';
import { defineRule } from '../define-rule.ts';

/** A step without a usable name or without work (STEP-02). */
export default defineRule({
  code: 'FLUE3101',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const { module, call } of project.steps) {
      if (call.args.some((item) => item.spread)) continue;
      const [name, work] = project.linker.evaluator.argumentsOf(module, call, new Map());
      const isBadName =
        !name ||
        (isKnown(name) &&
          !(name.t === 'literal' && typeof name.value === 'string' && name.value.trim() !== ''));
      const isBadWork = !work || (isKnown(work) && work.t !== 'function');
      if (!isBadName && !isBadWork) continue;
      report({ module, range: call, message: 'step.do() needs a non-empty name and a function.' });
    }
  },
});
