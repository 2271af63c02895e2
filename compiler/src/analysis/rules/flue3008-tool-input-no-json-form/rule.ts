import { type Field, fieldsOf } from '../../compose/fields.ts';
import type { Project } from '../../compose/project.ts';
import { isNoSchema } from '../../compose/schema.ts';
import { partsWithoutJson, type SchemaPart, schemasOutOfSight } from '../../compose/schema-parts.ts';
import { partsWithoutJsonByType } from '../../schema-parts-by-type.ts';
import { defineRule, type Finding } from '../define-rule.ts';

/** A part of the input that no model can supply: it sends JSON. */
export default defineRule({
  code: 'FLUE3008',
  severity: 'warning',
  tier: 'S',
  check(project, report) {
    for (const field of inputsOf(project)) {
      for (const part of partsWithoutJson(project.linker.evaluator, field.term)) report(finding(part));
    }
  },
  questions(project) {
    const { evaluator } = project.linker;
    return inputsOf(project)
      .flatMap((field) => schemasOutOfSight(evaluator, field))
      .filter(({ term }) => !isNoSchema(evaluator, term))
      .map(({ module, range, path }) => ({
        module,
        answer(types, report) {
          const node = types.nodeOf(module, range);
          const parts = node ? partsWithoutJsonByType(types, node, path) : [];
          for (const part of parts) report(finding({ ...part, module, range }));
        },
      }));
  },
});

function inputsOf(project: Project): Field[] {
  return project.tools.flatMap(({ term }) => {
    const field = fieldsOf(project.linker.evaluator, term).byName.get('input');
    return field && field.owner.value === term.value ? [field] : [];
  });
}

function finding({ module, range, path, type }: SchemaPart): Finding {
  return {
    module,
    range,
    message: `The model cannot supply ${path || 'the input'}: ${type} has no JSON form.`,
  };
}
