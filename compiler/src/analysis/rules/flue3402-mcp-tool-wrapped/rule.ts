import type { Evaluator } from '../../compose/evaluate.ts';
import { calledApi, rootOf, type Term } from '../../compose/term.ts';
import { defineRule } from '../define-rule.ts';

/** A tool of a connection that is defined once more (MCP-11). */
export default defineRule({
  code: 'FLUE3402',
  severity: 'warning',
  tier: 'G',
  check(project, report) {
    const { evaluator } = project.linker;
    for (const { module, call, name } of project.apiCalls) {
      const argument = call.args[0];
      if (name !== 'defineTool' || !argument || argument.spread) continue;
      const term = evaluator.evaluate(module, argument.value);
      if (!isMcpTool(term) && !spreadsMcpTool(evaluator, term)) continue;
      report({
        module,
        range: call,
        message: 'Tools from connectMcpServer() are complete; mount them with useTool() as they are.',
        fixes: [
          {
            title: 'Use the tool as it is',
            safe: isMcpTool(term),
            edits: isMcpTool(term)
              ? [
                  { start: call.start, end: argument.value.start, text: '' },
                  { start: argument.value.end, end: call.end, text: '' },
                ]
              : [],
          },
        ].filter((fix) => fix.edits.length > 0),
      });
    }
  },
});

function isMcpTool(term: Term): boolean {
  const root = rootOf(term);
  return term !== root && calledApi(root) === 'connectMcpServer' && leadsThroughTools(term);
}

function leadsThroughTools(term: Term): boolean {
  if (term.t === 'member') return term.name === 'tools' || leadsThroughTools(term.object);
  return term.t === 'element' && leadsThroughTools(term.of);
}

function spreadsMcpTool(evaluator: Evaluator, term: Term): boolean {
  if (term.t !== 'object') return false;
  return term.value.entries.some(
    (entry) =>
      entry.spread !== undefined && isMcpTool(evaluator.evaluate(term.module, entry.spread, term.env)),
  );
}
