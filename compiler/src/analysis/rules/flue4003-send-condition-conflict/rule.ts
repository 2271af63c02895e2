import { fieldsOf, type ObjectTerm } from '../../compose/fields.ts';
import { sendsOf } from '../../compose/sends.ts';
import { defineRule } from '../define-rule.ts';

/** Initial data for an instance that must exist already. */
export default defineRule({
  code: 'FLUE4003',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    const field = (object: ObjectTerm | undefined, name: string) =>
      object && fieldsOf(project.linker.evaluator, object).byName.get(name);
    for (const { kind, request, handle } of sendsOf(project)) {
      if (kind !== 'dispatch' && kind !== 'handle') continue;
      const uid = field(kind === 'dispatch' ? request : handle?.options, 'uid')?.term;
      const isString = (uid?.t === 'literal' && typeof uid.value === 'string') || uid?.t === 'template';
      const data = field(request, 'initialData');
      if (!isString || !data || (data.term.t === 'literal' && data.term.value === undefined)) continue;
      report({
        module: data.module,
        range: data.keyRange,
        message: 'uid continues an existing instance, so initialData can never apply. Drop one.',
      });
    }
  },
});
