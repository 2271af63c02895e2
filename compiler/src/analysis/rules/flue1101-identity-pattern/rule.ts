import { isAgentIdentity } from '@flue/runtime/internal';
import type { Agent } from '../../compose/agents.ts';
import { defineRule, type Repair } from '../define-rule.ts';

/** An identity that no store and no platform name can be derived from (IDENT-03). */
export default defineRule({
  code: 'FLUE1101',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const agent of project.agents) {
      if (isAgentIdentity(agent.identity)) continue;
      report({
        module: agent.module,
        range: assigned(agent) ?? agent.exportRange,
        message: `"${agent.identity}" is not a valid agent identity: letters and digits, single dashes between words, no leading digit.`,
        fixes: kebabCase(agent),
      });
    }
  },
});

function assigned(agent: Agent) {
  if (agent.identityFrom !== 'agentName') return undefined;
  return agent.statics.find(({ name }) => name === 'agentName')?.assignment.value;
}

function kebabCase(agent: Agent): Repair[] {
  const identity = agent.identity
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+|-+$/g, '');
  if (!isAgentIdentity(identity)) return [];
  const value = assigned(agent);
  const title = `Set agentName to '${identity}'`;
  if (value)
    return [{ title, safe: true, edits: [{ start: value.start, end: value.end, text: `'${identity}'` }] }];
  const { text } = agent.module;
  const start = text.length;
  const lead = text.endsWith('\n') ? '' : '\n';
  return [
    {
      title,
      safe: true,
      edits: [{ start, end: start, text: `${lead}${agent.binding.name}.agentName = '${identity}';\n` }],
    },
  ];
}
