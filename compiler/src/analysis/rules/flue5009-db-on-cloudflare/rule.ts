import { sourceOf } from '../../project-facts.ts';
import { defineRule } from '../define-rule.ts';

/** A database that a Worker does not use (CF-103). */
export default defineRule({
  code: 'FLUE5009',
  severity: 'error',
  tier: 'G',
  check(project, report, { layout }) {
    if (project.settings.target !== 'cloudflare' || !layout?.db) return;
    const message = 'Agents on Cloudflare persist in their Durable Object; remove the db entry.';
    const { db, home } = layout;
    if (db.explicit) {
      const found = /(?<![\w$])(['"]?)db\1(?=\s*:)/.exec(home.text);
      const start = found?.index ?? 0;
      report({ module: sourceOf(home), range: { start, end: start + (found?.[0].length ?? 0) }, message });
      return;
    }
    const module = project.graph.modules.get(db.path);
    if (module) report({ module, range: { start: 0, end: 0 }, message, severity: 'info' });
  },
});
