import { fieldsOf } from '../../compose/fields.ts';
import { schemaOf } from '../../compose/schema.ts';
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
});

/** The `type` that Valibot gives the schema at run time. */
function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
