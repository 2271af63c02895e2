import { suggest } from '../suggest.ts';
import type { Evaluator } from './evaluate.ts';
import { type Field, fieldsOf, type ObjectTerm } from './fields.ts';
import type { Term } from './term.ts';

/** What is wrong with a field; `undefined` when nothing is, or nothing is known. */
export type FieldCheck = (field: Field) => string | undefined;

export interface FieldProblem {
  readonly field: Field;
  readonly problem: string;
  readonly suggestion: string | undefined;
}

/** Judge the written fields of an object against what may stand there. Unknown values pass. */
export function fieldProblems(
  evaluator: Evaluator,
  object: ObjectTerm,
  checks: Readonly<Record<string, FieldCheck>>,
): FieldProblem[] {
  const known = Object.keys(checks);
  return [...fieldsOf(evaluator, object).byName.values()].flatMap((field) => {
    if (field.owner.value !== object.value) return [];
    if (!Object.hasOwn(checks, field.key)) {
      return [
        {
          field,
          problem: 'unknown field',
          suggestion: suggest(field.key, known, Math.max(2, Math.floor(field.key.length / 2))),
        },
      ];
    }
    if (field.term.t === 'literal' && field.term.value === undefined) return [];
    const problem = checks[field.key]!(field);
    return problem === undefined ? [] : [{ field, problem, suggestion: undefined }];
  });
}

export const anything: FieldCheck = () => undefined;

export const positiveInteger: FieldCheck = ({ term }) => {
  const isRight =
    term.t === 'literal' &&
    typeof term.value === 'number' &&
    Number.isSafeInteger(term.value) &&
    term.value > 0;
  return isRight || !isKnown(term) ? undefined : 'must be a positive integer';
};

/** As `positiveInteger`, but 0 will do. */
const wholeNumber: FieldCheck = (field) => {
  const { term } = field;
  const isZero = term.t === 'literal' && term.value === 0;
  return isZero || positiveInteger(field) === undefined ? undefined : 'must be an integer of at least 0';
};

export const text: FieldCheck = ({ term }) => {
  if (term.t === 'literal' && typeof term.value === 'string')
    return term.value.trim() === '' ? 'must not be blank' : undefined;
  return isKnown(term) ? 'must be a string' : undefined;
};

/** As `text`, but it may be blank. */
export const string: FieldCheck = ({ term }) =>
  !isKnown(term) || (term.t === 'literal' && typeof term.value === 'string') ? undefined : 'must be a string';

export const callable: FieldCheck = ({ term }) =>
  term.t !== 'function' && isKnown(term) ? 'must be a function' : undefined;

export function oneOf(values: readonly string[]): FieldCheck {
  return ({ term }) => {
    if (term.t === 'literal')
      return values.includes(term.value as string) ? undefined : `must be one of ${values.join(', ')}`;
    return isKnown(term) ? `must be one of ${values.join(', ')}` : undefined;
  };
}

/** Whether the kind of a value is certain. A template is a string, of unknown text. */
export function isKnown(term: Term): boolean {
  return (
    term.t === 'literal' ||
    term.t === 'object' ||
    term.t === 'array' ||
    term.t === 'function' ||
    term.t === 'class'
  );
}

/** What `useModel()` and a subagent take for `compaction`, as far as its kind goes (MODEL-07, DELEG-06). */
export const compaction: FieldCheck = ({ term }) =>
  term.t === 'object' || (term.t === 'literal' && term.value === false) || !isKnown(term)
    ? undefined
    : 'must be false or an object';

const COMPACTION: Readonly<Record<string, FieldCheck>> = {
  reserveTokens: positiveInteger,
  keepRecentTokens: wholeNumber,
  model: text,
};

/** What is wrong inside of the `compaction` of an object. */
export function compactionProblems(evaluator: Evaluator, owner: ObjectTerm): FieldProblem[] {
  const config = evaluator.member(owner, 'compaction');
  return config.t === 'object' ? fieldProblems(evaluator, config, COMPACTION) : [];
}
