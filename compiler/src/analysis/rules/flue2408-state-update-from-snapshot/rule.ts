import { apiName, type Term } from '../../compose/term.ts';
import { excerpt } from '../../position.ts';
import type { Binding, Call, Module } from '../../program.ts';
import { readsWithin } from '../../reads-within.ts';
import { defineRule } from '../define-rule.ts';

/** A write that is computed from the value of the last render. */
export default defineRule({
  code: 'FLUE2408',
  severity: 'hint',
  tier: 'S',
  check(project, report) {
    for (const module of project.modules) {
      for (const call of module.calls) {
        const callee = project.linker.evaluator.evaluate(module, call.callee);
        const state = stateOf(callee);
        const argument = call.args[0]?.value;
        if (!state || !argument || argument.k === 'function') continue;
        if (project.contexts.of(module, call.owner).kind === 'render') continue;
        const value = snapshotIn(module, argument, state);
        if (!value || value.owner === call.owner) continue;
        const reads = readsWithin(module, argument).filter(({ binding }) => binding === value.id);
        report({
          module,
          range: call,
          message: `${value.name} is the value of the last render; ${excerpt(module, call.callee)}((previous) => …) sees the latest write.`,
          fixes: [
            {
              title: 'Use the updater form',
              safe: true,
              edits: [
                {
                  start: argument.start,
                  end: argument.start,
                  text: argument.k === 'object' ? '(previous) => (' : '(previous) => ',
                },
                ...reads.map(({ offset }) => ({
                  start: offset,
                  end: offset + value.name.length,
                  text: 'previous',
                })),
                ...(argument.k === 'object' ? [{ start: argument.end, end: argument.end, text: ')' }] : []),
              ],
            },
          ],
        });
      }
    }
  },
});

/** The `usePersistentState` call behind a setter. */
function stateOf(callee: Term): (Term & { t: 'call' }) | undefined {
  if (callee.t !== 'member' || callee.name !== '1' || callee.object.t !== 'call') return undefined;
  return apiName(callee.object.callee) === 'usePersistentState' ? callee.object : undefined;
}

/** The render value of the same state, where the range reads it. */
function snapshotIn(
  module: Module,
  range: { start: number; end: number },
  state: Term & { t: 'call' },
): Binding | undefined {
  if (state.module !== module) return undefined;
  const isValue = (binding: Binding, call: Call) =>
    binding.init?.k === 'call' && binding.init.call === call.id && binding.path?.[0] === '0';
  return readsWithin(module, range)
    .map(({ binding }) => module.bindings[binding]!)
    .find((binding) => isValue(binding, state.call));
}
