import type { Project } from '../../compose/project.ts';
import { eventsOf, isRender, type Render, rendersOf } from '../../compose/renders.ts';
import type { Event } from '../../compose/world.ts';
import { excerpt } from '../../position.ts';
import { defineRule } from '../define-rule.ts';

/** A setter, a data writer or a self-dispatcher that is called while the agent renders (HOOK-09). */
export default defineRule({
  code: 'FLUE2301',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    for (const render of rendersOf(project)) {
      for (const { first } of eventsOf(render.summary, 'write')) {
        if (isReportedDeeper(project, render, first)) continue;
        const [hop] = first.chain;
        const module = hop?.module ?? first.module;
        const call = hop?.call ?? first.call;
        const writer = excerpt(module, call.callee);
        report({
          module,
          range: call,
          message: `${writer}() writes during a render. Renders only read; write from a tool or an event hook, or use the default value.`,
          related: hop ? [{ module: first.module, range: first.call, message: 'the write' }] : [],
        });
      }
    }
  },
});

/** A custom hook that writes by itself is the place to change, not each of its callers. */
function isReportedDeeper(project: Project, { module }: Render, event: Event): boolean {
  const [hop] = event.chain;
  if (!hop) return false;
  const callee = project.linker.evaluator.evaluate(module, hop.call.callee);
  if (callee.t !== 'function') return false;
  const fn = callee.module.functions[callee.fn]!;
  if (!isRender(project, callee.module, fn)) return false;
  const inner = event.site.slice(event.site.indexOf('>') + 1);
  return project.linker.flowOf(callee.module, callee.fn).exit?.counts.get(inner)?.first.kind === 'write';
}
