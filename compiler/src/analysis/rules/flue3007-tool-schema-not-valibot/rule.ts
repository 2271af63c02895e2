import { type Field, fieldsOf } from '../../compose/fields.ts';
import type { Project } from '../../compose/project.ts';
import { isNoSchema, schemaOf } from '../../compose/schema.ts';
import { isNoSchemaType } from '../../schema-types.ts';
import { defineRule, type Finding } from '../define-rule.ts';

/** A tool schema that the definition refuses (TOOL-03, TOOL-04). */
export default defineRule({
  code: 'FLUE3007',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    for (const field of schemasOf(project)) {
      if (isNoSchema(project.linker.evaluator, field.term)) report(finding(field));
    }
  },
  questions(project) {
    const { evaluator } = project.linker;
    return schemasOf(project)
      .filter(({ term }) => !schemaOf(evaluator, term) && !isNoSchema(evaluator, term))
      .map((field) => ({
        module: field.module,
        answer(types, report) {
          const node = types.nodeOf(field.module, field.value);
          if (node && isNoSchemaType(types, node)) report(finding(field));
        },
      }));
  },
});

function schemasOf(project: Project): Field[] {
  return project.tools.flatMap(({ term }) => {
    const { byName } = fieldsOf(project.linker.evaluator, term);
    return ['input', 'output'].flatMap((key) => {
      const field = byName.get(key);
      return field && field.owner.value === term.value ? [field] : [];
    });
  });
}

function finding({ module, key, value }: Field): Finding {
  return { module, range: value, message: `${key} must be a synchronous Valibot schema.` };
}
