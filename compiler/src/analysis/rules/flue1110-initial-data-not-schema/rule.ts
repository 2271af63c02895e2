import type { Project } from '../../compose/project.ts';
import { isNoSchema, schemaOf } from '../../compose/schema.ts';
import type { Module, Value } from '../../program.ts';
import { isNoSchemaType } from '../../schema-types.ts';
import { defineRule, type Finding } from '../define-rule.ts';

/** An initialData that registration would refuse (STATIC-03, STATIC-07). */
export default defineRule({
  code: 'FLUE1110',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    const { evaluator } = project.linker;
    for (const { module, value } of initialDataOf(project)) {
      if (isNoSchema(evaluator, evaluator.evaluate(module, value))) report(finding(module, value));
    }
  },
  questions(project) {
    const { evaluator } = project.linker;
    return initialDataOf(project).flatMap(({ module, value }) => {
      const term = evaluator.evaluate(module, value);
      if (schemaOf(evaluator, term) || isNoSchema(evaluator, term)) return [];
      return [
        {
          module,
          answer(types, report) {
            const node = types.nodeOf(module, value);
            if (node && isNoSchemaType(types, node)) report(finding(module, value));
          },
        },
      ];
    });
  },
});

function initialDataOf(project: Project): { module: Module; value: Value }[] {
  return project.agents.flatMap(({ module, statics }) =>
    statics.flatMap(({ name, assignment }) =>
      name === 'initialData' ? [{ module, value: assignment.value }] : [],
    ),
  );
}

function finding(module: Module, range: Value): Finding {
  return { module, range, message: 'initialData must be a synchronous Valibot schema.' };
}
