import { fieldsOf } from '../../compose/fields.ts';
import { isKnown } from '../../compose/options.ts';
import { sendsOf } from '../../compose/sends.ts';
import type { Term } from '../../compose/term.ts';
import { defineRule } from '../define-rule.ts';

/** A send without an address (DSP-04). */
export default defineRule({
  code: 'FLUE4002',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    const { evaluator } = project.linker;
    const message = 'A non-empty instance id is required.';
    for (const { kind, request } of sendsOf(project)) {
      if (kind !== 'dispatch' || !request) continue;
      const { byName, closed } = fieldsOf(evaluator, request);
      const id = byName.get('id');
      if (id ? isNoId(id.term) : closed)
        report({ module: id?.module ?? request.module, range: id?.value ?? request.value, message });
    }
    for (const { module, call, name } of project.apiCalls) {
      const argument = call.args[1];
      if (!argument || argument.spread) continue;
      const term = evaluator.evaluate(module, argument.value);
      if (name === 'getAgentInstance' && isNoId(term)) report({ module, range: argument.value, message });
      if (name !== 'init' || term.t !== 'object') continue;
      const id = fieldsOf(evaluator, term).byName.get('id');
      const isAbsent = id?.term.t === 'literal' && id.term.value === undefined;
      if (id && !isAbsent && isNoId(id.term)) report({ module: id.module, range: id.value, message });
    }
  },
});

function isNoId(term: Term): boolean {
  if (term.t === 'literal') return typeof term.value !== 'string' || term.value.trim() === '';
  return isKnown(term);
}
