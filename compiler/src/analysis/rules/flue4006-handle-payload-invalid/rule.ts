import { fieldsOf } from '../../compose/fields.ts';
import { sendsOf } from '../../compose/sends.ts';
import { defineRule } from '../define-rule.ts';

/** A handle that is given something else than a request. */
export default defineRule({
  code: 'FLUE4006',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const { kind, request } of sendsOf(project)) {
      if (kind !== 'handle' || !request) continue;
      const { byName, closed } = fieldsOf(project.linker.evaluator, request);
      const address = byName.get('id') ?? byName.get('uid');
      let problem: string | undefined;
      if (address) problem = `${address.key} belongs to init()`;
      else if (closed && !byName.has('message')) problem = 'message is missing';
      if (problem === undefined) continue;
      report({
        module: address?.module ?? request.module,
        range: address?.keyRange ?? request.value,
        message: `A handle takes a string or { message, initialData? }; ${problem}.`,
      });
    }
  },
});
