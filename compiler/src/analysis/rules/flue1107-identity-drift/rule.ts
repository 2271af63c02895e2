import type { Agent } from '../../compose/agents.ts';
import { driftOf } from '../../identity-drift.ts';
import { sourceOf } from '../../project-facts.ts';
import { defineRule, type Repair } from '../define-rule.ts';
import { lockableAgents } from '../lockable-agents.ts';

/** An identity that owns stored conversations and has no agent any more (LOCK-03). */
export default defineRule({
  code: 'FLUE1107',
  severity: 'error',
  tier: 'G',
  check(project, report, { lock }) {
    if (!lock) return;
    const { missing } = driftOf(lock, lockableAgents(project));
    for (const { identity, likely } of missing) {
      const orphaned = `"${identity}" is no longer defined; its stored conversations would be orphaned.`;
      const source = sourceOf(lock);
      const start = Math.max(0, lock.text.indexOf(JSON.stringify(identity)));
      const entry = { start, end: start === 0 ? 0 : start + JSON.stringify(identity).length };
      if (!likely) {
        report({ module: source, range: entry, message: orphaned });
        continue;
      }
      const { agent } = likely;
      report({
        module: agent.module,
        range: agent.binding.range,
        message: `${orphaned} Looks renamed to "${likely.identity}": set ${likely.function}.agentName = '${identity}' or retire it with flue lock --retire ${identity}.`,
        related: [{ module: source, range: entry, message: 'locked here' }],
        fixes: [pin(agent, identity)],
      });
    }
  },
});

/** In place of the name that the author gave, else behind everything. */
function pin({ module, binding, statics }: Agent, identity: string): Repair {
  const title = `Set agentName to '${identity}'`;
  const named = statics.find(({ name }) => name === 'agentName')?.assignment.value;
  if (named)
    return { title, safe: true, edits: [{ start: named.start, end: named.end, text: `'${identity}'` }] };
  const start = module.text.length;
  const lead = module.text.endsWith('\n') ? '' : '\n';
  const text = `${lead}${binding.name}.agentName = '${identity}';\n`;
  return { title, safe: true, edits: [{ start, end: start, text }] };
}
