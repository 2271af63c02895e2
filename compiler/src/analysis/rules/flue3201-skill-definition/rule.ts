import { SKILL_FIELDS } from '@flue/runtime/internal';
import type { Field } from '../../compose/fields.ts';
import { fieldsOf } from '../../compose/fields.ts';
import { anything, type FieldCheck, fieldProblems, isKnown, string, text } from '../../compose/options.ts';
import { defineRule } from '../define-rule.ts';
import { skillFieldProblem } from '../skill-fields.ts';

const REQUIRED = ['name', 'description', 'instructions'];

/** A text that may not be blank, of what the validator takes where it is written out. */
function limited(name: string): FieldCheck {
  return (field) => {
    const problem = text(field);
    const { term } = field;
    return problem ?? (term.t === 'literal' ? skillFieldProblem[name]?.(String(term.value)) : undefined);
  };
}

const CHECKS: Readonly<Record<string, FieldCheck>> = {
  ...Object.fromEntries(SKILL_FIELDS.map((field) => [field, anything])),
  name: limited('name'),
  description: limited('description'),
  instructions: text,
  license: string,
  compatibility: limited('compatibility'),
  allowedTools: string,
};

/** A skill that its validator refuses (SKILL-03). */
export default defineRule({
  code: 'FLUE3201',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    const { evaluator } = project.linker;
    const seen = new Set<unknown>();
    for (const { module, call, name } of project.apiCalls) {
      const argument = call.args[0];
      if ((name !== 'defineSkill' && name !== 'useSkill') || !argument || argument.spread) continue;
      const skill = evaluator.evaluate(module, argument.value);
      if (skill.t !== 'object' || seen.has(skill.value)) continue;
      seen.add(skill.value);
      const { byName, closed } = fieldsOf(evaluator, skill);
      const label = byName.get('name')?.term;
      const title = label?.t === 'literal' ? `"${String(label.value)}"` : 'definition';
      const complain = (at: Pick<Field, 'module' | 'value'>, field: string, problem: string) =>
        report({ module: at.module, range: at.value, message: `Skill ${title}: ${field} ${problem}.` });
      for (const { field, problem } of fieldProblems(evaluator, skill, CHECKS)) {
        complain(
          field,
          problem === 'unknown field' ? `"${field.key}"` : field.key,
          problem === 'unknown field' ? 'is an unknown field' : problem,
        );
      }
      for (const key of REQUIRED) if (closed && !byName.has(key)) complain(skill, key, 'is missing');
      for (const [at, problem] of nested(byName.get('metadata'), byName.get('files')))
        complain(at, at.key, problem);
    }

    function* nested(metadata: Field | undefined, files: Field | undefined): Generator<[Field, string]> {
      if (metadata?.term.t === 'object') {
        for (const field of fieldsOf(evaluator, metadata.term).byName.values()) {
          if (isKnown(field.term) && !(field.term.t === 'literal' && typeof field.term.value === 'string'))
            yield [field, 'must be a string'];
        }
      }
      if (files?.term.t !== 'object') return;
      for (const field of fieldsOf(evaluator, files.term).byName.values()) {
        if (!isSafePath(field.key)) yield [field, 'is no safe relative path'];
      }
    }
  },
});

function isSafePath(path: string): boolean {
  if (path === 'SKILL.md' || path === '' || /^(?:[A-Za-z]:|[\\/])|\\|\0/.test(path)) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
