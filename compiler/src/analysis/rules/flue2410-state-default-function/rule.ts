import { defineRule } from '../define-rule.ts';

/** A default that was meant to be called. */
export default defineRule({
  code: 'FLUE2410',
  severity: 'hint',
  tier: 'S',
  check(project, report) {
    for (const { module, call, name } of project.apiCalls) {
      const value = call.args[1]?.value;
      if (name !== 'usePersistentState' || value?.k !== 'function') continue;
      report({
        module,
        range: value,
        message: 'Defaults are used as given; a function is not called. Pass the value.',
        fixes: [
          {
            title: 'Call it',
            safe: true,
            edits: [
              { start: value.start, end: value.start, text: '(' },
              { start: value.end, end: value.end, text: ')()' },
            ],
          },
        ],
      });
    }
  },
});
