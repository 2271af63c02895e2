import { fieldsOf } from '../../compose/fields.ts';
import { partingOf } from '../../compose/renders.ts';
import { defineRule } from '../define-rule.ts';

/** A step name that one call of the tool can use twice (STEP-03). */
export default defineRule({
  code: 'FLUE3102',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    const seen = new Set<string>();
    for (const { term } of project.tools) {
      const run = fieldsOf(project.linker.evaluator, term).byName.get('run')?.term;
      if (run?.t !== 'function') continue;
      for (const [key, count] of project.linker.flowOf(run.module, run.fn).exit?.counts ?? []) {
        const { first, second } = count;
        if (first.kind !== 'step' || key === first.site || count.max < 2 || !second) continue;
        const { at, other, repeated } = partingOf(first, second);
        const place = `${at.module.path}#${at.range.start}`;
        if (seen.has(place)) continue;
        seen.add(place);
        report({
          ...at,
          message: `The step "${key.slice(key.indexOf(':') + 1)}" can run twice in one call; names must be unique.`,
          severity: count.sure > 1 ? 'error' : 'warning',
          related: repeated ? [] : [{ ...other, message: 'the first one' }],
        });
      }
    }
  },
});
