import { writerOf } from '../../compose/calls.ts';
import { defineRule } from '../define-rule.ts';

/** A write of `undefined`, which no stored JSON can be (STATE-04). */
export default defineRule({
  code: 'FLUE2406',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    const { evaluator } = project.linker;
    for (const module of project.modules) {
      for (const call of module.calls) {
        const writer = writerOf(evaluator.evaluate(module, call.callee));
        if (writer !== 'usePersistentState' && writer !== 'useDataWriter') continue;
        const [argument] = call.args;
        if (argument?.spread) continue;
        const term = argument && evaluator.evaluate(module, argument.value);
        const isUndefined = !term || (term.t === 'literal' && term.value === undefined);
        const isEmptyUpdater =
          writer === 'usePersistentState' && term?.t === 'function' && neverReturns(term.module, term.fn);
        if (!isUndefined && !isEmptyUpdater) continue;
        report({
          module,
          range: argument?.value ?? call,
          message: 'State cannot be unset: write null or another JSON value.',
        });
      }
    }

    function neverReturns(module: (typeof project.modules)[number], id: number): boolean {
      const { exit, returned } = project.linker.flowOf(module, id);
      return exit !== undefined && returned.without && !returned.withValue && !module.functions[id]!.async;
    }
  },
});
