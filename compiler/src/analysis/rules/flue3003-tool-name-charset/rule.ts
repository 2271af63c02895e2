import { LIMITS, TOOL_NAME_PATTERN } from '@flue/runtime/internal';
import { fieldsOf } from '../../compose/fields.ts';
import { defineRule } from '../define-rule.ts';

/** A tool name that providers refuse (TOOL-02), or that some do. */
export default defineRule({
  code: 'FLUE3003',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const { term } of project.tools) {
      const field = fieldsOf(project.linker.evaluator, term).byName.get('name');
      if (
        field?.term.t !== 'literal' ||
        typeof field.term.value !== 'string' ||
        field.owner.value !== term.value
      )
        continue;
      const name = field.term.value;
      if (name.trim() === '' || (TOOL_NAME_PATTERN.test(name) && name.length <= LIMITS.portableToolNameChars))
        continue;
      const isPortableOnly = TOOL_NAME_PATTERN.test(name);
      const { module, value } = field;
      report({
        module,
        range: value,
        message: `The tool name "${name}" is not accepted${isPortableOnly ? ' by every provider' : ''}. Use letters, digits, _ and -, at most 64.`,
        severity: isPortableOnly ? 'warning' : 'error',
        fixes:
          value.k === 'literal'
            ? [
                {
                  title: 'Use accepted characters',
                  safe: true,
                  edits: [{ start: value.start, end: value.end, text: `'${sanitise(name)}'` }],
                },
              ]
            : [],
      });
    }
  },
});

function sanitise(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, LIMITS.portableToolNameChars);
  return /[A-Za-z0-9]/.test(plain) ? plain : 'tool';
}
