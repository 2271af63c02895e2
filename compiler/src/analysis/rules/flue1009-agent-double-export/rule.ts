import { agentExport } from '../../compose/agents.ts';
import type { BindingId } from '../../program.ts';
import { defineRule } from '../define-rule.ts';

/** One function under two agent names. */
export default defineRule({
  code: 'FLUE1009',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const module of project.modules) {
      if (!module.marked) continue;
      const first = new Map<BindingId, string>();
      for (const entry of module.exports) {
        const agent = agentExport(module, entry);
        if (!agent || entry.kind !== 'local') continue;
        const known = first.get(agent.binding.id);
        if (known === undefined) {
          first.set(agent.binding.id, entry.name);
          continue;
        }
        report({
          module,
          range: entry.range,
          message: `"${agent.binding.name}" is exported as both "${known}" and "${entry.name}". An agent registers once.`,
        });
      }
    }
  },
});
