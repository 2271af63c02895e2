import { sourceOf } from '../../project-facts.ts';
import { defineRule } from '../define-rule.ts';

/** An application without the module that serves it (APP-01). */
export default defineRule({
  code: 'FLUE5010',
  severity: 'error',
  tier: 'G',
  check(project, report, { application, layout }) {
    if (!application || !layout || layout.app !== undefined || project.agents.length === 0) return;
    const folder = layout.sourceRoot === '.' ? '' : `${layout.sourceRoot}/`;
    report({
      module: sourceOf(layout.home),
      range: { start: 0, end: 0 },
      message: `No app entry: create ${folder}app.ts exporting a Hono app or any object with fetch().`,
      severity: application === 'built' ? 'error' : 'info',
    });
  },
});
