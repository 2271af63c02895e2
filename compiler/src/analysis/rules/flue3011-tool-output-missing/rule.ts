import type ts from 'typescript';
import { type Field, fieldsOf } from '../../compose/fields.ts';
import { isJsonByForm } from '../../compose/json-form.ts';
import type { Project } from '../../compose/project.ts';
import { returnValues } from '../../compose/returns.ts';
import { schemaRef } from '../../compose/slots.ts';
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

/** The tools that declare an output, by what they run. */
function promising(project: Project): { readonly run: Field }[] {
  return project.tools.flatMap(({ term }) => {
    const { byName } = fieldsOf(project.linker.evaluator, term);
    const run = byName.get('run');
    return run && schemaRef(byName.get('output')) ? [{ run }] : [];
  });
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
