import { nameOf, rendersOf } from '../../compose/renders.ts';
import type { Event } from '../../compose/world.ts';
import { excerpt } from '../../position.ts';
import { defineRule } from '../define-rule.ts';

/** Two calls whose order shows, in opposite order on two paths. */
export default defineRule({
  code: 'FLUE2202',
  severity: 'warning',
  tier: 'G',
  check(project, report) {
    for (const { summary } of rendersOf(project)) {
      const swap = summary.swaps.find(
        ({ decider }) => decider.steadiness.level === 'varying' || decider.steadiness.unwritten,
      );
      if (!swap) continue;
      const { first, second, decider } = swap;
      const [hop] = first.chain;
      report({
        module: hop?.module ?? first.module,
        range: hop?.call ?? first.call,
        message: `${labelOf(first)} and ${labelOf(second)} change places between renders (under "${excerpt(decider.module, decider.range)}", ${nameOf(decider)}). Keep one order: declare the common calls before the condition.`,
        related: [{ module: second.module, range: second.call, message: 'the other call' }],
      });
    }
  },
});

function labelOf(event: Event): string {
  return excerpt(event.module, event.call);
}
