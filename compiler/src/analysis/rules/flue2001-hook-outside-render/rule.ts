import { isHookName } from '@flue/runtime/internal';
import { isTestFile } from '../../compose/project.ts';
import { defineRule } from '../define-rule.ts';

/** A hook where no render can be running. */
export default defineRule({
  code: 'FLUE2001',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const { module, call, name } of project.apiCalls) {
      if (!isHookName(name) || isTestFile(module.path)) continue;
      const context = project.contexts.of(module, call.owner);
      if (context.kind !== 'outside') continue;
      report({
        module,
        range: call,
        message: `${name}() runs ${context.where}, after the render is over. Call it while the agent function renders.`,
      });
    }
  },
});
