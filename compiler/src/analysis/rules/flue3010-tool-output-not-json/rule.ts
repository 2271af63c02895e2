import { fieldsOf } from '../../compose/fields.ts';
import { isJsonByForm, isPlainSchema } from '../../compose/json-form.ts';
import type { Project } from '../../compose/project.ts';
import { returnValues } from '../../compose/returns.ts';
import { schemaRef } from '../../compose/slots.ts';
import { writtenTypeOf } from '../../compose/written-types.ts';
import { partNotJson } from '../../json-types.ts';
import type { Module, Range, Value } from '../../program.ts';
import { defineRule } from '../define-rule.ts';

interface Question {
  readonly module: Module;
  readonly range: Range;
  readonly keyRange: Range;
  /** the result of a function, or the output side of a schema */
  readonly asks: 'result' | 'schema';
}

/** A tool result that cannot be stored or sent (TOOL-06). */
export default defineRule({
  code: 'FLUE3010',
  severity: 'error',
  tier: 'T',
  check() {},
  questions(project) {
    const fields = project.tools.map(({ term }) => fieldsOf(project.linker.evaluator, term));
    return fields
      .flatMap((byName) => questionsAbout(project, byName))
      .map(({ module, range, keyRange, asks }) => ({
        module,
        answer(types, report) {
          const node = types.nodeOf(module, range);
          const type = node && (asks === 'result' ? types.resultOf(node) : types.schemaSide(node, 'output'));
          const part = type && partNotJson(types, type, node);
          if (!part) return;
          report({
            module,
            range: keyRange,
            message: `Tool results are JSON; ${part.path === '' ? 'this result' : part.path} is ${part.type}.`,
            severity: part.isPossible ? 'warning' : 'error',
          });
        },
      }));
  },
});

/** A declared output decides alone what a result is; types are asked only where the syntax leaves it open. */
function questionsAbout(project: Project, { byName }: ReturnType<typeof fieldsOf>): Question[] {
  const output = byName.get('output');
  if (output && schemaRef(output)) {
    const { module, value, keyRange } = output;
    return isPlainSchema(project, output) ? [] : [{ module, range: value, keyRange, asks: 'schema' }];
  }
  const run = byName.get('run');
  if (!run || (run.term.t === 'function' && isPlain(project, run.term.module, run.term.fn))) return [];
  return [{ module: run.module, range: run.value, keyRange: run.keyRange, asks: 'result' }];
}

/** Every value that it returns is JSON by the way it is written. */
function isPlain(project: Project, module: Module, id: number): boolean {
  const returned = returnValues(module.functions[id]!);
  const isJson = (value: Value) =>
    writtenTypeOf(project, module, value) !== undefined ||
    isJsonByForm(project, project.linker.evaluator.evaluate(module, value));
  return returned?.every((value) => !value || isJson(value)) ?? false;
}
