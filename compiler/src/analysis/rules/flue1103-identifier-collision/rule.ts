import { durableNames } from '@flue/runtime/internal';
import type { Agent } from '../../compose/agents.ts';
import { defineRule } from '../define-rule.ts';

/** Two identities behind one generated name (IDENT-10, EMIT-12), or a generated class that the Worker entry has too. */
export default defineRule({
  code: 'FLUE1103',
  severity: 'error',
  tier: 'G',
  scope: 'project',
  check(project, report) {
    const byName = new Map<string, Agent[]>();
    for (const agent of project.agents) {
      const { className, bindingName } = namesOf(agent);
      for (const name of [className, bindingName]) byName.set(name, [...(byName.get(name) ?? []), agent]);
    }
    const { cloudflareEntry } = project.settings;
    const entry = cloudflareEntry === undefined ? undefined : project.graph.modules.get(cloudflareEntry);
    for (const agent of project.agents) {
      const { className, bindingName } = namesOf(agent);
      for (const name of [className, bindingName]) {
        const other = byName.get(name)!.find((candidate) => candidate.identity !== agent.identity);
        if (!other) continue;
        report({
          module: agent.module,
          range: agent.binding.range,
          message: `"${agent.identity}" and "${other.identity}" both generate ${name}. Rename one.`,
          related: [{ module: other.module, range: other.binding.range, message: `"${other.identity}"` }],
        });
        break; // One finding says it; the other name follows from the same pair.
      }
      const taken = entry?.exports.find(
        (candidate) => candidate.kind !== 'star' && candidate.name === className,
      );
      if (!entry || !taken) continue;
      report({
        module: agent.module,
        range: agent.binding.range,
        message: `"${agent.identity}" and "${entry.path}" both generate ${className}. Rename one.`,
        related: [{ module: entry, range: taken.range, message: `${className} is exported here` }],
      });
    }
  },
});

const names = new WeakMap<Agent, ReturnType<typeof durableNames>>();

function namesOf(agent: Agent): ReturnType<typeof durableNames> {
  const known = names.get(agent) ?? durableNames(agent.identity);
  names.set(agent, known);
  return known;
}
