import { returnValues } from '../../compose/returns.ts';
import type { Term } from '../../compose/term.ts';
import { defineRule } from '../define-rule.ts';

/** A response hook whose result is refused. */
export default defineRule({
  code: 'FLUE2307',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    const { evaluator } = project.linker;
    for (const { module, call, name } of project.apiCalls) {
      const value = call.args[0]?.value;
      if ((name !== 'useResponseStart' && name !== 'useResponseFinish') || !value) continue;
      const callback = evaluator.evaluate(module, value);
      if (callback.t !== 'function') continue;
      const fn = callback.module.functions[callback.fn]!;
      const message = `${name}() callbacks are synchronous and return a plain object or nothing.`;
      if (fn.async || fn.generator) {
        report({
          module: callback.module,
          range: fn.nameRange.end > fn.bodyRange.start ? value : fn.nameRange,
          message,
        });
        continue;
      }
      const wrong = (returnValues(fn) ?? []).find(
        (returned) => returned && isRefused(evaluator.evaluate(callback.module, returned)),
      );
      if (wrong) report({ module: callback.module, range: wrong, message });
    }
  },
});

function isRefused(term: Term): boolean {
  if (term.t === 'literal') return term.value !== undefined;
  if (term.t === 'call')
    return (
      term.callee.t === 'external' && term.callee.source === 'globalThis' && term.callee.name === 'fetch'
    );
  return term.t === 'array' || term.t === 'function' || term.t === 'template';
}
