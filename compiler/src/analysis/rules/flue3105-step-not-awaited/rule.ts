import { defineRule } from '../define-rule.ts';

/** A step that nothing waits for. */
export default defineRule({
  code: 'FLUE3105',
  severity: 'warning',
  tier: 'S',
  check(project, report) {
    for (const { module, call } of project.steps) {
      if (call.use !== 'discarded') continue;
      const isAsync = module.functions[call.owner]!.async;
      report({
        module,
        range: call,
        message: 'Nothing waits for this step; the call can settle before it is recorded.',
        fixes: isAsync
          ? [
              {
                title: 'Await the step',
                safe: true,
                edits: [{ start: call.start, end: call.start, text: 'await ' }],
              },
            ]
          : [],
      });
    }
  },
});
