import { DIRECTIVE } from '../../find.ts';
import { editDistance } from '../../suggest.ts';
import { defineRule } from '../define-rule.ts';

/** Directives of others, which may look alike. */
const FOREIGN = new Set([
  'use strict',
  'use client',
  'use server',
  'use cache',
  'use workflow',
  'use step',
  'use memo',
  'use no memo',
]);

/** A prologue string that is nearly the directive. */
export default defineRule({
  code: 'FLUE1002',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const module of project.modules) {
      if (module.marked) continue;
      for (const { text, form, place, start, end } of module.directives) {
        if (place !== 'prologue' || form !== 'plain' || FOREIGN.has(text) || !isNear(text)) continue;
        const quoted = /^(['"]).*?\1/.exec(module.text.slice(start, end))?.[0] ?? '';
        report({
          module,
          range: { start, end },
          message: `"${text}" is not a directive Flue knows. Did you mean '${DIRECTIVE}'?`,
          fixes: [
            {
              title: `Replace with '${DIRECTIVE}'`,
              safe: true,
              edits: [{ start: start + 1, end: start + quoted.length - 1, text: DIRECTIVE }],
            },
          ],
        });
      }
    }
  },
});

function isNear(text: string): boolean {
  const plain = text
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
    .trim();
  return plain === DIRECTIVE || editDistance(text, DIRECTIVE, 3) < 3;
}
