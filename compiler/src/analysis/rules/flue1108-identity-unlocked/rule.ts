import { driftOf } from '../../identity-drift.ts';
import { defineRule } from '../define-rule.ts';
import { lockableAgents } from '../lockable-agents.ts';

/** An identity that the lock does not hold, or holds as given up (LOCK-05). */
export default defineRule({
  code: 'FLUE1108',
  severity: 'info',
  tier: 'G',
  check(project, report, { lock, frozen }) {
    if (!lock) return;
    const { added, returned } = driftOf(lock, lockableAgents(project));
    for (const { agent, identity } of [...added, ...returned]) {
      const isBack = Object.hasOwn(lock.retired, identity);
      report({
        module: agent.module,
        range: agent.binding.range,
        message: isBack
          ? `"${identity}" was retired and would continue its old conversations. Run flue lock to record it.`
          : `"${identity}" is new. Run flue lock to record it.`,
        ...(frozen && { severity: 'error' }),
      });
    }
  },
});
