import { defineRule } from '../define-rule.ts';

/** Two sources of one identity. */
export default defineRule({
  code: 'FLUE1106',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const { module, statics } of project.agents) {
      const names = statics.filter(({ name }) => name === 'agentName');
      for (const { assignment } of names.slice(1)) {
        report({
          module,
          range: { start: assignment.start, end: assignment.end },
          message: 'agentName is assigned more than once; identity must have one source.',
          related: [{ module, range: names[0]!.assignment, message: 'the first assignment' }],
        });
      }
    }
  },
});
