import type ts from 'typescript';
import type { Evaluator } from '../../compose/evaluate.ts';
import { type Field, fieldsOf } from '../../compose/fields.ts';
import { isJsonByForm } from '../../compose/json-form.ts';
import type { Project } from '../../compose/project.ts';
import { returnValues } from '../../compose/returns.ts';
import { schemaRef } from '../../compose/slots.ts';
import type { Term } from '../../compose/term.ts';
import { writtenTypeOf } from '../../compose/written-types.ts';
import type { Module, Value } from '../../program.ts';
import type { Types } from '../../types.ts';
import { defineRule } from '../define-rule.ts';

/** A tool that promises a value and may finish without one (TOOL-04). */
export default defineRule({
  code: 'FLUE3011',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    for (const { run: field } of promising(project)) {
      const run = field.term;
      if (run.t !== 'function') continue;
      const fn = run.module.functions[run.fn]!;
      const { exit, returned, limited } = project.linker.flowOf(run.module, run.fn);
      if (!exit || limited !== undefined || fn.generator || !returned.without) continue;
      report({
        module: run.module,
        range: fn.nameRange.end <= fn.bodyRange.start ? fn.nameRange : field.keyRange,
        message: MESSAGE,
        severity: returned.withValue ? 'warning' : 'error',
      });
    }
  },
  questions(project) {
    return promising(project)
      .filter(({ run }) => isOpen(project, run))
      .map(({ run: { module, value, keyRange } }) => ({
        module,
        answer(types, report) {
          const node = types.nodeOf(module, value);
          const result = node && types.resultOf(node);
          const missing = result && withoutValue(types, result);
          if (missing) report({ module, range: keyRange, message: MESSAGE, severity: missing });
        },
      }));
  },
});

const MESSAGE = 'This tool declares an output schema but can finish without returning a value.';

/** Valibot builders that take `undefined`, and give another value for it where they have a default. */
const DEFAULTS = /^(?:nullish|optional|undefinedable)(?:Async)?$/;
/** Those that take it and give it back, which the runtime refuses, unless an action behind them gives another value. */
const TAKES_ALL = /^(?:any|custom|undefined|undefined_|unknown|void|void_)(?:Async)?$/;
/** Those of which this cannot be told. */
const FILLS = /^(?:fallback|lazy)(?:Async)?$/;

/** The tools that declare an output which needs a value, by what they run. */
function promising(project: Project): { readonly run: Field }[] {
  return project.tools.flatMap(({ term }) => {
    const { byName } = fieldsOf(project.linker.evaluator, term);
    const run = byName.get('run');
    const output = byName.get('output');
    return run && output && schemaRef(output) && !fillsIn(project.linker.evaluator, output.term)
      ? [{ run }]
      : [];
  });
}

/** Whether the schema may give a value for a missing one, so that the result is what it needs to be (TCALL-08). */
function fillsIn(evaluator: Evaluator, schema: Term, depth = 0): boolean {
  if (schema.t !== 'call' || schema.callee.t !== 'external' || schema.callee.source !== 'valibot')
    return false;
  const { name } = schema.callee;
  const [first, second] = evaluator.argumentsOf(schema.module, schema.call, schema.env);
  if (FILLS.test(name)) return true;
  if (DEFAULTS.test(name)) return second !== undefined;
  if (!first || depth > 8) return false;
  if (/^pipe(?:Async)?$/.test(name)) return fillsIn(evaluator, first, depth + 1) || takesAll(first);
  return /^union(?:Async)?$/.test(name) && first.t === 'array'
    ? first.items.some((option) => fillsIn(evaluator, option, depth + 1))
    : false;
}

function takesAll(schema: Term): boolean {
  if (schema.t !== 'call' || schema.callee.t !== 'external') return false;
  const { name } = schema.callee;
  return TAKES_ALL.test(name) || DEFAULTS.test(name);
}

/** What runs is out of sight, or it returns on every path something of which the syntax does not tell what it is. */
function isOpen(project: Project, { term }: Field): boolean {
  if (term.t !== 'function') return term.t !== 'literal';
  const fn = term.module.functions[term.fn]!;
  const { exit, returned, limited } = project.linker.flowOf(term.module, term.fn);
  if (!exit || fn.generator) return false;
  if (limited !== undefined) return true;
  const values = returnValues(fn);
  if (returned.without) return false;
  return (
    values === undefined ||
    values.some((value) => value !== null && !isValueByForm(project, term.module, value))
  );
}

function isValueByForm(project: Project, module: Module, value: Value): boolean {
  return (
    writtenTypeOf(project, module, value) === 'string' ||
    isJsonByForm(project, project.linker.evaluator.evaluate(module, value))
  );
}

/** A result that is, or may be, `undefined`. What is not known is a value (RULE-17). */
function withoutValue({ api: { TypeFlags } }: Types, result: ts.Type): 'error' | 'warning' | undefined {
  const isNothing = (type: ts.Type) => (type.flags & (TypeFlags.Undefined | TypeFlags.Void)) !== 0;
  if (isNothing(result)) return 'error';
  return result.isUnion() && result.types.some(isNothing) ? 'warning' : undefined;
}
