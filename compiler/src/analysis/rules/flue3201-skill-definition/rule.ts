import { LIMITS, SKILL_FIELDS, SKILL_NAME_PATTERN } from '@flue/runtime/internal';
import type { Field } from '../../compose/fields.ts';
import { fieldsOf } from '../../compose/fields.ts';
import { anything, type FieldCheck, fieldProblems, isKnown, text } from '../../compose/options.ts';
import { defineRule } from '../define-rule.ts';

const REQUIRED = ['name', 'description', 'instructions'];

function limited(limit: number): FieldCheck {
  return (field) => {
    const problem = text(field);
    if (problem) return problem;
    const { term } = field;
    return term.t === 'literal' && String(term.value).length > limit
      ? `must have at most ${limit} characters`
      : undefined;
  };
}

const CHECKS: Readonly<Record<string, FieldCheck>> = {
  ...Object.fromEntries(SKILL_FIELDS.map((field) => [field, anything])),
  name: (field) => {
    const problem = limited(LIMITS.skillNameChars)(field);
    if (problem) return problem;
    const { term } = field;
    return term.t === 'literal' && !SKILL_NAME_PATTERN.test(String(term.value))
      ? 'must be lowercase letters and digits with single dashes'
      : undefined;
  },
  description: limited(LIMITS.skillDescriptionChars),
  instructions: text,
  compatibility: limited(LIMITS.skillCompatibilityChars),
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
