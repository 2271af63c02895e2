import { defineRule } from '../define-rule.ts';

/** A function that was given up (RULE-29). */
export default defineRule({
  code: 'FLUE5006',
  severity: 'info',
  tier: 'G',
  check(project, report) {
    for (const module of project.modules) {
      for (const fn of module.functions) {
        const { limited } = project.linker.flowOf(module, fn.id);
        if (limited === undefined) continue;
        report({
          module,
          range: fn.form === 'module' ? { start: 0, end: 0 } : fn.nameRange,
          message: `${fn.name ?? 'This function'} is too complex to check fully (${limited}).`,
        });
      }
    }
  },
});
