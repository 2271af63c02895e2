import { functionOf } from '../../compose/agents.ts';
import { hookEvents } from '../../compose/renders.ts';
import { defineRule } from '../define-rule.ts';

/** A custom hook whose name does not say so. */
export default defineRule({
  code: 'FLUE2004',
  severity: 'off',
  whenOn: 'hint',
  tier: 'G',
  check(project, report) {
    const rendered = new Set(project.roots.map((root) => root.fn));
    for (const module of project.modules) {
      for (const entry of module.exports) {
        if (entry.kind !== 'local' || /^use[A-Z]/.test(entry.name)) continue;
        const binding = module.bindings[entry.binding]!;
        const fn = functionOf(module, binding);
        if (!fn || rendered.has(fn)) continue;
        if (!hookEvents(project.linker.flowOf(module, fn.id)).some((count) => count.min > 0)) continue;
        report({
          module,
          range: binding.range,
          message: `"${binding.name}" calls hooks; name it use… so callers can tell.`,
        });
      }
    }
  },
});
