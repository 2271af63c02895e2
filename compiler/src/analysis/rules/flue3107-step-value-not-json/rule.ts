import { partNotJson } from '../../json-types.ts';
import { defineRule } from '../define-rule.ts';

/** A step whose result cannot be recorded (STEP-04). */
export default defineRule({
  code: 'FLUE3107',
  severity: 'error',
  tier: 'T',
  check() {},
  questions(project) {
    const steps = project.steps.filter(({ call }) => call.args[1] && !call.args.some((item) => item.spread));
    return steps.map(({ module, call }) => ({
      module,
      answer(types, report) {
        const work = call.args[1]!.value;
        const node = types.nodeOf(module, work);
        const type = node && types.resultOf(node);
        const part = type && partNotJson(types, type, node);
        if (!part) return;
        const name = project.linker.evaluator.evaluate(module, call.args[0]!.value);
        const which = name.t === 'literal' ? `Step "${String(name.value)}"` : 'A step';
        const what = part.path === '' ? part.type : `${part.type} (${part.path})`;
        report({
          module,
          range: work,
          message: `${which} must return JSON; it returns ${what}.`,
          severity: part.isPossible ? 'warning' : 'error',
        });
      },
    }));
  },
});
