import type ts from 'typescript';
import { fieldsOf } from '../../compose/fields.ts';
import { isNoSchema, schemaOf } from '../../compose/schema.ts';
import type { Types } from '../../types.ts';
import { defineRule } from '../define-rule.ts';

const OBJECTS = new Set(['object', 'strictObject', 'looseObject', 'objectWithRest']);

/** An input that is no object schema: models send a JSON object (TOOL-03). */
export default defineRule({
  code: 'FLUE3006',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    for (const { term } of project.tools) {
      const field = fieldsOf(project.linker.evaluator, term).byName.get('input');
      if (!field || field.owner.value !== term.value) continue;
      const schema = schemaOf(project.linker.evaluator, field.term);
      if (!schema || schema.isAsync || OBJECTS.has(schema.type)) continue;
      const { module, value } = field;
      const namespace = /^(\w+)\./.exec(module.text.slice(value.start, value.end))?.[1];
      report({
        module,
        range: value,
        message: `Tool input must be an object schema; this is "${snakeCase(schema.type)}".`,
        fixes:
          namespace !== undefined && value.k === 'call'
            ? [
                {
                  title: `Wrap in ${namespace}.object`,
                  safe: true,
                  edits: [
                    { start: value.start, end: value.start, text: `${namespace}.object({ value: ` },
                    { start: value.end, end: value.end, text: ' })' },
                  ],
                },
              ]
            : [],
      });
    }
  },
  questions(project) {
    const { evaluator } = project.linker;
    return project.tools.flatMap(({ term }) => {
      const field = fieldsOf(evaluator, term).byName.get('input');
      if (!field || field.owner.value !== term.value) return [];
      if (schemaOf(evaluator, field.term) || isNoSchema(evaluator, field.term)) return [];
      const { module, value } = field;
      return [
        {
          module,
          answer(types, report) {
            const node = types.nodeOf(module, value);
            const kind = node && schemaTypeOf(types, node);
            if (kind === undefined || OBJECT_TYPES.has(kind)) return;
            const message = `Tool input must be an object schema; this is "${kind}".`;
            report({ module, range: value, message });
          },
        },
      ];
    });
  },
});

const OBJECT_TYPES: ReadonlySet<string> = new Set([...OBJECTS].map(snakeCase));

/** The `type` of a Valibot schema, where it is one literal. */
function schemaTypeOf({ checker }: Types, node: ts.Node): string | undefined {
  const schema = checker.getTypeAtLocation(node);
  const literal = (name: string) => {
    const property = schema.getProperty(name);
    const type = property && checker.getTypeOfSymbolAtLocation(property, node);
    return type?.isStringLiteral() ? type.value : undefined;
  };
  return literal('kind') === 'schema' ? literal('type') : undefined;
}

/** The `type` that Valibot gives the schema at run time. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
