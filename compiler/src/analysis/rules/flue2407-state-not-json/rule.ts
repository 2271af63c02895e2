import { writerOf } from '../../compose/calls.ts';
import { isJsonByForm } from '../../compose/json-form.ts';
import type { Project } from '../../compose/project.ts';
import { returnValues } from '../../compose/returns.ts';
import type { Term } from '../../compose/term.ts';
import { partNotJson } from '../../json-types.ts';
import { defineRule } from '../define-rule.ts';

/** A value that state or a data part cannot store (JSON-01). */
export default defineRule({
  code: 'FLUE2407',
  severity: 'error',
  tier: 'T',
  check() {},
  questions(project) {
    return undecidedWrites(project).map(({ module, writer, value }) => ({
      module,
      answer(types, report) {
        const node = types.nodeOf(module, value);
        if (!node) return;
        const given = types.checker.getTypeAtLocation(node);
        const isUpdater = writer === 'usePersistentState' && given.getCallSignatures().length > 0;
        const type = isUpdater ? types.resultOf(node) : given;
        const part = type && partNotJson(types, type, node);
        if (!part) return;
        report({
          module,
          range: value,
          message: `${part.path === '' ? 'This value' : part.path} is ${part.type}, which JSON storage refuses.`,
          severity: part.isPossible ? 'warning' : 'error',
        });
      },
    }));
  },
});

/** Only these need types. */
function undecidedWrites(project: Project) {
  const { evaluator } = project.linker;
  return project.modules.flatMap((module) =>
    module.calls.flatMap((call) => {
      const writer = writerOf(evaluator.evaluate(module, call.callee));
      const argument = call.args[0];
      if ((writer !== 'usePersistentState' && writer !== 'useDataWriter') || !argument || argument.spread)
        return [];
      const term = evaluator.evaluate(module, argument.value);
      return isPlainWrite(project, term) ? [] : [{ module, writer, value: argument.value }];
    }),
  );
}

/** The value itself, or what an updater makes of the value before. */
function isPlainWrite(project: Project, term: Term): boolean {
  if (term.t !== 'function') return isJsonByForm(project, term);
  const fn = term.module.functions[term.fn]!;
  const { evaluator } = project.linker;
  const returned = returnValues(fn);
  return (
    returned?.every(
      (value) => value && isJsonByForm(project, evaluator.evaluate(term.module, value, term.env), fn),
    ) ?? false
  );
}
