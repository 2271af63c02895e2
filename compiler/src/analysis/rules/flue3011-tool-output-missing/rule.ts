import { fieldsOf } from '../../compose/fields.ts';
import { schemaRef } from '../../compose/slots.ts';
import { defineRule } from '../define-rule.ts';

/** A tool that promises a value and may finish without one (TOOL-04). */
export default defineRule({
  code: 'FLUE3011',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    for (const { term } of project.tools) {
      const { byName } = fieldsOf(project.linker.evaluator, term);
      const run = byName.get('run')?.term;
      if (run?.t !== 'function' || !schemaRef(byName.get('output'))) continue;
      const fn = run.module.functions[run.fn]!;
      const { exit, returned, limited } = project.linker.flowOf(run.module, run.fn);
      if (!exit || limited !== undefined || fn.generator || !returned.without) continue;
      report({
        module: run.module,
        range: fn.nameRange.end <= fn.bodyRange.start ? fn.nameRange : byName.get('run')!.keyRange,
        message: 'This tool declares an output schema but can finish without returning a value.',
        severity: returned.withValue ? 'warning' : 'error',
      });
    }
  },
});
