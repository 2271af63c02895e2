import { runsInRender } from '../../compose/calls-in-renders.ts';
import { eventsOf, rendersOf } from '../../compose/renders.ts';
import { defineRule } from '../define-rule.ts';

/** A connection that would be opened with every render (MCP-02). */
export default defineRule({
  code: 'FLUE3401',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    const seen = new Set<string>();
    for (const { summary } of rendersOf(project)) {
      for (const { first } of eventsOf(summary, 'api')) {
        const key = `${first.module.path}#${first.call.id}`;
        if (first.name !== 'connectMcpServer' || seen.has(key)) continue;
        const [hop] = first.chain;
        if (!hop && !runsInRender(project, first.module, first.call)) continue;
        seen.add(key);
        report({
          module: first.module,
          range: first.call,
          message:
            'connectMcpServer() is asynchronous and would connect on every render. Await it at module scope.',
          related: hop
            ? [{ module: hop.module, range: hop.call, message: 'reached from a render here' }]
            : [],
        });
      }
    }
  },
});
