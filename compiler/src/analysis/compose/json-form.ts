import type { Fn, Module, Range, Value } from '../program.ts';
import { fieldsOf } from './fields.ts';
import { perPart, perProject } from './parts.ts';
import type { Project } from './project.ts';
import { schemaRef } from './slots.ts';
import { calledApi, rootOf, type Term } from './term.ts';
import { writtenTypeOf } from './written-types.ts';

/** Values that the runtime hands out after it has read them from JSON. */
const STORED = new Set(['useInitialData', 'useDelivery', 'usePersistentState']);
const PRIMITIVE_CALLS =
  /^(?:String|Number|Boolean|parseInt|parseFloat|Date\.now|JSON\.(?:parse|stringify)|Math\.\w+|crypto\.randomUUID)$/;

const COMPARISON = /^(?:[!=]==?|[<>]=?|in|instanceof)$/;

/** Builders whose values are JSON whatever they are given, but for the schemas within. */
const PLAIN_BUILDERS =
  /^(?:array|boolean|description|email|enum|exactOptional|integer|literal|looseObject|maxLength|maxValue|metadata|minLength|minValue|never|nonEmpty|null|nullable|nullish|number|object|optional|picklist|pipe|record|regex|strictObject|strictTuple|string|title|trim|tuple|union|url|uuid|variant)_?$/;

/**
 * Whether a value is JSON by the way it is written, so that nobody need ask for its type (RULE-07): literals and text,
 * objects and arrays of such, arithmetic with them, and what the runtime itself has read or validated.
 * The parameters of `given` are known to be JSON.
 */
export function isJsonByForm(project: Project, term: Term, given?: Fn, depth = 0): boolean {
  if (depth > 8 || project.settings.typing === 'all') return false;
  const isJson = (part: Term) => isJsonByForm(project, part, given, depth + 1);
  const all = (terms: readonly Term[]) => terms.every(isJson);
  switch (term.t) {
    case 'literal':
      return term.value !== undefined;
    case 'template':
      return true;
    case 'array':
      return !term.open && all(term.items);
    case 'choice':
      return all(term.options);
    case 'object': {
      const { byName, closed } = fieldsOf(project.linker.evaluator, term);
      // A field that is absent or undefined is left out of the JSON.
      return (
        closed &&
        [...byName.values()].every(
          ({ module, value, term: field }) =>
            isUndefined(field) || writtenTypeOf(project, module, value) !== undefined || isJson(field),
        )
      );
    }
    case 'call':
      return (
        STORED.has(calledApi(term) ?? '') ||
        (term.callee.t === 'external' &&
          term.callee.source === 'globalThis' &&
          PRIMITIVE_CALLS.test(term.callee.name))
      );
    case 'member': {
      const root = rootOf(term);
      return (root.t === 'param' && isValidatedInput(project, term)) || isJson(root);
    }
    case 'param':
      return given !== undefined && term.module.functions[term.fn] === given;
    case 'opaque': {
      const { value, module, env } = term.origin ?? {};
      if (value?.k === 'unary') return value.op === '!' || value.op === 'typeof';
      if (value?.k !== 'binary' || !module) return false;
      // A bigint never meets a number in arithmetic: one side tells of the result.
      const side = (part: Value) => isJson(project.linker.evaluator.evaluate(module, part, env));
      return COMPARISON.test(value.op) || side(value.left) || side(value.right);
    }
    default:
      return false;
  }
}

function isUndefined(term: Term): boolean {
  return term.t === 'literal' && term.value === undefined;
}

/** `data`, or a part of it, in the `run` of a tool whose input is plain. */
function isValidatedInput(project: Project, term: Term & { t: 'member' }): boolean {
  let outermost = term;
  while (outermost.object.t === 'member') outermost = outermost.object;
  const param = outermost.object;
  if (param.t !== 'param' || param.index !== 0 || outermost.name !== 'data') return false;
  return plainRuns(project).has(param.module.functions[param.fn]!);
}

interface Run {
  readonly module: Module;
  readonly fn: Fn;
}

/** `run` functions of tools that validate what they are given. */
const plainRuns = perProject((project) => new Set(plainRunsOfParts(project).map(({ fn }) => fn)));

const plainRunsOfParts = perPart<Run, readonly [path: string, fn: number]>(
  (project) =>
    project.tools.flatMap(({ term }) => {
      const { byName } = fieldsOf(project.linker.evaluator, term);
      const run = byName.get('run')?.term;
      const input = byName.get('input');
      const isPlain = run?.t === 'function' && input && schemaRef(input) && isPlainSchema(project, input);
      return isPlain ? [{ module: run.module, fn: run.module.functions[run.fn]! }] : [];
    }),
  {
    what: 'plain runs',
    write: ({ module, fn }) => [module.path, fn.id],
    read([path, id], { graph }) {
      const module = graph.modules.get(path);
      const fn = module?.functions[id];
      return module && fn && { module, fn };
    },
  },
);

/** A schema made of plain builders alone, as far as the calls written in its place show. */
export function isPlainSchema(
  project: Project,
  { module, value }: { readonly module: Module; readonly value: Range },
): boolean {
  if (project.settings.typing === 'all') return false;
  const { evaluator } = project.linker;
  const within = module.calls.filter((call) => call.start >= value.start && call.end <= value.end);
  if (!within.some((call) => call.start === value.start && call.end === value.end)) return false;
  return within.every((call) => {
    const callee = evaluator.evaluate(module, call.callee);
    const isBuilder =
      callee.t === 'external' && callee.source === 'valibot' && PLAIN_BUILDERS.test(callee.name);
    return isBuilder && call.args.every((item) => !item.spread && item.value.k !== 'ref');
  });
}
