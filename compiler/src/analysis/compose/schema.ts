import type { Evaluator } from './evaluate.ts';
import type { Term } from './term.ts';

/** Valibot functions that make a schema, each with its `type`; `custom`, `any`, `unknown` and `lazy` among them. */
const SCHEMAS = new Set(
  (
    'any array bigint blob boolean custom date enum exactOptional file function instance intersect lazy literal looseObject looseTuple ' +
    'map nan never nonNullable nonNullish nonOptional null nullable nullish number object objectWithRest optional picklist promise ' +
    'record set strictObject strictTuple string symbol tuple tupleWithRest undefined undefinedable union unknown variant void'
  ).split(' '),
);
/** Functions that give back a schema of the same kind as their first argument. */
const SAME_KIND = new Set('pipe partial required pick omit config fallback message cache'.split(' '));

export interface SchemaKind {
  /** the Valibot function that made it: `object`, `strictObject`, `string` */
  readonly type: string;
  readonly isAsync: boolean;
  readonly call: Term & { readonly t: 'call' };
}

/** The kind of a Valibot schema, when the call that makes it is in sight. */
export function schemaOf(evaluator: Evaluator, term: Term, depth = 0): SchemaKind | undefined {
  if (term.t !== 'call' || term.callee.t !== 'external' || term.callee.source !== 'valibot' || depth > 16)
    return undefined;
  const name = term.callee.name.replace(/_$/, '');
  const plain = name.replace(/Async$/, '');
  if (SAME_KIND.has(plain)) {
    const [first] = evaluator.argumentsOf(term.module, term.call, term.env);
    const inner = first && schemaOf(evaluator, first, depth + 1);
    return inner && { ...inner, isAsync: inner.isAsync || name !== plain };
  }
  return SCHEMAS.has(plain) ? { type: plain, isAsync: name !== plain, call: term } : undefined;
}

const OTHER_LIBRARIES =
  /^(?:zod|yup|joi|arktype|superstruct|effect|io-ts|runtypes|ajv|@sinclair\/typebox|@effect\/schema)(?:\/|$)/;

/** Provably no synchronous Valibot schema: a plain value, another library's, or an async one. */
export function isNoSchema(evaluator: Evaluator, term: Term): boolean {
  switch (term.t) {
    case 'literal':
      return term.value !== undefined && term.value !== null;
    case 'object':
      // A schema is an object with these two fields; a literal that has neither is no hand-written one.
      return !['kind', '~standard'].some((key) => {
        const field = evaluator.member(term, key);
        return field.t !== 'literal' || field.value !== undefined;
      });
    case 'array':
    case 'function':
    case 'class':
    case 'template':
      return true;
    case 'call':
      if (schemaOf(evaluator, term)?.isAsync) return true;
      return isOtherLibrary(term);
    default:
      return false;
  }
}

/** `z.object({}).strict()`: the chain of calls starts in another library. */
function isOtherLibrary(term: Term): boolean {
  let root: Term = term;
  for (;;) {
    if (root.t === 'call') root = root.callee;
    else if (root.t === 'member') root = root.object;
    else return root.t === 'external' && OTHER_LIBRARIES.test(root.source);
  }
}
