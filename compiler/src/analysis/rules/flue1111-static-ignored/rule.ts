import { AGENT_STATICS } from '@flue/runtime/internal';
import { functionOf } from '../../compose/agents.ts';
import { suggest } from '../../suggest.ts';
import { defineRule } from '../define-rule.ts';

/** A static that nobody reads. */
export default defineRule({
  code: 'FLUE1111',
  severity: 'warning',
  tier: 'S',
  check(project, report) {
    const rendered = new Set(project.roots.map((root) => root.fn));
    for (const module of project.modules) {
      if (!module.marked) continue;
      for (const { target, start, end } of module.assignments) {
        if (target.k !== 'member' || target.object.k !== 'ref') continue;
        const binding = module.bindings[target.object.binding]!;
        const fn = functionOf(module, binding);
        if (!fn) continue;
        const isStatic = (AGENT_STATICS as readonly string[]).includes(target.name);
        const label = `${binding.name}.${target.name}`;
        if (isStatic && !rendered.has(fn)) {
          report({
            module,
            range: { start, end },
            message: `${label} is never read: ${binding.name} is not a registered agent.`,
          });
        }
        const meant = isStatic || !rendered.has(fn) ? undefined : suggest(target.name, AGENT_STATICS);
        if (meant === undefined) continue;
        const name = { start: target.end - target.name.length, end: target.end };
        report({
          module,
          range: name,
          message: `${label} is never read: the static is called ${meant}.`,
          fixes: target.computed
            ? []
            : [{ title: `Rename to ${meant}`, safe: true, edits: [{ ...name, text: meant }] }],
        });
      }
    }
  },
});
