import { fieldsOf } from '../../compose/fields.ts';
import {
  anything,
  type FieldCheck,
  fieldProblems,
  isKnown,
  oneOf,
  positiveInteger,
} from '../../compose/options.ts';
import { defineRule } from '../define-rule.ts';

const url: FieldCheck = ({ term }) => {
  if (term.t === 'literal' && typeof term.value === 'string') {
    return URL.canParse(term.value) ? undefined : 'must be an absolute URL';
  }
  return isKnown(term) && term.t !== 'object' ? 'must be an absolute URL' : undefined;
};

/** The fields that a connection takes (MCP-01). */
const CHECKS: Readonly<Record<string, FieldCheck>> = {
  url,
  transport: oneOf(['streamable-http', 'sse']),
  timeoutMs: positiveInteger,
  headers: anything,
  requestInit: anything,
  fetch: anything,
  resetTimeoutOnProgress: anything,
  auth: anything,
  tools: anything,
  optional: anything,
};

/** Options that a connection refuses. */
export default defineRule({
  code: 'FLUE3404',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    const { evaluator } = project.linker;
    for (const { module, call, name } of project.apiCalls) {
      if (name !== 'connectMcpServer' || call.args.some((item) => item.spread)) continue;
      const [server, options] = evaluator.argumentsOf(module, call, new Map());
      const label = server?.t === 'literal' ? String(server.value) : '…';
      const complain = (
        at: { module: typeof module; range: { start: number; end: number } },
        problem: string,
      ) => report({ ...at, message: `connectMcpServer("${label}"): ${problem}.` });
      if (!server || (isKnown(server) && label.trim() === ''))
        complain({ module, range: call.args[0]?.value ?? call }, 'the server name is blank');
      if (options?.t !== 'object') continue;
      for (const { field, problem, suggestion } of fieldProblems(evaluator, options, CHECKS)) {
        const meant = suggestion ? ` (did you mean ${suggestion}?)` : '';
        complain(
          { module: field.module, range: suggestion ? field.keyRange : field.value },
          `${field.key}: ${problem}${meant}`,
        );
      }
      const { byName, closed } = fieldsOf(evaluator, options);
      if (closed && !byName.has('url'))
        complain({ module: options.module, range: options.value }, 'url is missing');
    }
  },
});
