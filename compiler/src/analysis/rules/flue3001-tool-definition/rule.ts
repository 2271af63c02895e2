import { LEGACY_TOOL_FIELDS, TOOL_FIELDS } from '@flue/runtime/internal';
import { type Field, type Fields, fieldsOf, type ObjectTerm } from '../../compose/fields.ts';
import type { Term } from '../../compose/term.ts';
import { suggest } from '../../suggest.ts';
import { defineRule, type Finding } from '../define-rule.ts';

const FLAGS = ['harness', 'durable', 'parallel'];

/** A tool that `defineTool` or the render would refuse (TOOL-02, TOOL-05, TOOL-07, TOOL-14). */
export default defineRule({
  code: 'FLUE3001',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const { term } of project.tools) {
      const fields = fieldsOf(project.linker.evaluator, term);
      const name = labelOf(fields);
      for (const problem of problemsOf(term, fields)) {
        const suggestion = problem.suggestion ? ` Did you mean ${problem.suggestion}?` : '';
        report({ ...problem, message: `Tool ${name}: ${problem.message}.${suggestion}` });
      }
    }
  },
});

function labelOf({ byName }: Fields): string {
  const name = byName.get('name')?.term;
  return name?.t === 'literal' && typeof name.value === 'string' && name.value.trim() !== ''
    ? `"${name.value}"`
    : 'without a name';
}

function problemsOf(term: ObjectTerm, { byName, closed }: Fields): (Finding & { suggestion?: string })[] {
  const problems: (Finding & { suggestion?: string })[] = [];
  const missing = (message: string) => problems.push({ module: term.module, range: term.value, message });
  const isLegacy = LEGACY_TOOL_FIELDS.some((field) => byName.has(field));
  for (const key of ['name', 'description'] as const) {
    const field = byName.get(key);
    if (field) {
      const problem = textProblem(field.term);
      if (problem) problems.push({ ...at(field), message: `${key} ${problem}` });
    } else if (closed) missing(`${key} is missing`);
  }
  const run = byName.get('run');
  if (run && isNotCallable(run.term)) problems.push({ ...at(run), message: 'run must be a function' });
  else if (!run && closed && !isLegacy) missing('run is missing');
  for (const field of byName.values()) {
    if (field.owner.value !== term.value) continue; // A spread definition answers for its own fields.
    const problem = fieldProblem(field);
    if (problem) problems.push(problem);
  }
  return problems;
}

function fieldProblem(field: Field): (Finding & { suggestion?: string }) | undefined {
  const { key, keyRange, module, term } = field;
  if ((LEGACY_TOOL_FIELDS as readonly string[]).includes(key)) return undefined; // FLUE3002
  if (!(TOOL_FIELDS as readonly string[]).includes(key)) {
    const suggestion = suggest(key, TOOL_FIELDS);
    return {
      module,
      range: keyRange,
      message: `unknown field "${key}"`,
      ...(suggestion
        ? {
            suggestion,
            fixes: [
              { title: `Rename to ${suggestion}`, safe: true, edits: [{ ...keyRange, text: suggestion }] },
            ],
          }
        : {}),
    };
  }
  if (FLAGS.includes(key) && isNotBoolean(term)) return { ...at(field), message: `${key} must be a boolean` };
  if (key === 'timeoutMs' && isNoLimit(term))
    return { ...at(field), message: 'timeoutMs must be a positive integer' };
  return undefined;
}

function at(field: Field) {
  return { module: field.module, range: field.value };
}

function textProblem(term: Term): string | undefined {
  if (term.t === 'literal') {
    if (typeof term.value === 'string') return term.value.trim() === '' ? 'must not be blank' : undefined;
    return term.value === undefined ? 'is missing' : 'must be a string';
  }
  return term.t === 'object' || term.t === 'array' || term.t === 'function' ? 'must be a string' : undefined;
}

function isNotCallable(term: Term): boolean {
  return term.t === 'literal' || term.t === 'object' || term.t === 'array' || term.t === 'template';
}

function isNotBoolean(term: Term): boolean {
  if (term.t === 'literal') return term.value !== undefined && typeof term.value !== 'boolean';
  return term.t === 'object' || term.t === 'array' || term.t === 'function' || term.t === 'template';
}

function isNoLimit(term: Term): boolean {
  if (term.t === 'literal') {
    return (
      term.value !== undefined &&
      !(typeof term.value === 'number' && Number.isSafeInteger(term.value) && term.value > 0)
    );
  }
  return term.t === 'object' || term.t === 'array' || term.t === 'function' || term.t === 'template';
}
