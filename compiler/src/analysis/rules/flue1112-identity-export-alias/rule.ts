import { defineRule } from '../define-rule.ts';

/** An agent with one name in a build and another without. */
export default defineRule({
  code: 'FLUE1112',
  severity: 'warning',
  tier: 'S',
  check(project, report) {
    for (const agent of project.agents) {
      const local = agent.fn.name;
      if (agent.identityFrom !== 'export' || local === undefined || local === agent.export) continue;
      const { module, binding } = agent;
      const start = module.text.length;
      const lead = module.text.endsWith('\n') ? '' : '\n';
      report({
        module,
        range: agent.exportRange,
        message: `Built, this agent is "${agent.export}"; run without a build it is "${local}". Set agentName.`,
        fixes: [
          {
            title: `Set agentName to '${agent.export}'`,
            safe: true,
            edits: [{ start, end: start, text: `${lead}${binding.name}.agentName = '${agent.export}';\n` }],
          },
        ],
      });
    }
  },
});
