import { HOOKS, type HookRow, isHookName } from '@flue/runtime/internal';
import { partingOf, rendersInUse } from '../../compose/renders.ts';
import { defineRule } from '../define-rule.ts';

/** A name that every pass of a loop declares. */
export default defineRule({
  code: 'FLUE2105',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    const seen = new Set<string>();
    for (const { summary } of rendersInUse(project)) {
      for (const [key, count] of summary.attempted?.counts ?? []) {
        const { first, second } = count;
        if (
          first.kind !== 'hook' ||
          key === first.site ||
          count.max < 2 ||
          !second ||
          !isHookName(first.name)
        )
          continue;
        const row: HookRow = HOOKS[first.name];
        const { at, repeated } = partingOf(first, second);
        const place = `${key}@${at.module.path}#${at.range.start}`;
        if (!row.names || !repeated || seen.has(place)) continue;
        seen.add(place);
        report({
          ...at,
          message: `Every pass declares the ${row.names} "${key.slice(key.indexOf(':') + 1)}"; the second one collides.`,
          severity: count.sure > 1 ? 'error' : 'warning',
        });
      }
    }
  },
});
