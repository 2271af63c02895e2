import { AGENT_STATICS } from '@flue/runtime/internal';
import type { Binding, Module } from '../../program.ts';
import { defineRule } from '../define-rule.ts';

/** A class that was meant to be an agent: it carries one of the statics. */
export default defineRule({
  code: 'FLUE1008',
  severity: 'warning',
  tier: 'S',
  check(project, report) {
    for (const module of project.modules) {
      if (!module.marked) continue;
      for (const entry of module.exports) {
        const binding = entry.kind === 'local' ? module.bindings[entry.binding]! : undefined;
        if (binding?.kind !== 'class' || !carriesStatic(module, binding)) continue;
        report({
          module,
          range: binding.range,
          message: `"${binding.name}" is a class and never registers as an agent. Make it a function.`,
        });
      }
    }
  },
});

function carriesStatic(module: Module, binding: Binding): boolean {
  const isStatic = (name: string) => (AGENT_STATICS as readonly string[]).includes(name);
  return (
    (binding.statics ?? []).some(({ name }) => isStatic(name)) ||
    module.assignments.some(
      ({ target }) =>
        target.k === 'member' &&
        isStatic(target.name) &&
        target.object.k === 'ref' &&
        target.object.binding === binding.id,
    )
  );
}
