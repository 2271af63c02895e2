import { isTestFile } from '../../compose/project.ts';
import { defineRule } from '../define-rule.ts';

/** A hook for which an async function comes back too late (HOOK-03). */
export default defineRule({
  code: 'FLUE2002',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const module of project.modules) {
      if (isTestFile(module.path)) continue;
      for (const fn of module.functions) {
        for (const { event, must } of project.linker.flowOf(module, fn.id).late.values()) {
          // Code that never belonged to a render is FLUE2001's.
          if (project.contexts.of(module, event.call.owner).kind === 'outside') continue;
          report({
            module,
            range: event.call,
            message: `${event.name}() follows an await, so the render has ended by then.`,
            severity: must ? 'error' : 'warning',
          });
        }
      }
    }
  },
});
