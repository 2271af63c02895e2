import { calledApi } from '../../compose/term.ts';
import { defineRule } from '../define-rule.ts';

const MEMBERS = new Set(['tools', 'name', 'close']);

/** A connection that is still a promise (MCP-01). */
export default defineRule({
  code: 'FLUE3403',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const module of project.modules) {
      for (const { object, name, start, end } of module.members) {
        if (!MEMBERS.has(name)) continue;
        const term = project.linker.evaluator.evaluate(module, object);
        if (term.t !== 'call' || term.awaited || calledApi(term) !== 'connectMcpServer') continue;
        const isSafe = module.functions[term.call.owner]!.form === 'module' && term.module === module;
        report({
          module,
          range: { start, end },
          message: `connectMcpServer() returns a promise; await it before reading .${name}.`,
          fixes: isSafe
            ? [
                object.k === 'call'
                  ? {
                      title: 'Await the connection',
                      safe: true,
                      edits: [
                        { start: object.start, end: object.start, text: '(await ' },
                        { start: object.end, end: object.end, text: ')' },
                      ],
                    }
                  : {
                      title: 'Await the connection',
                      safe: true,
                      edits: [{ start: term.call.start, end: term.call.start, text: 'await ' }],
                    },
              ]
            : [],
        });
      }
    }
  },
});
