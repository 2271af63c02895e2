import { apiName, type Term } from '../../compose/term.ts';
import { defineRule } from '../define-rule.ts';

/** A value of the render that is read when it may be out of date. */
export default defineRule({
  code: 'FLUE2409',
  severity: 'hint',
  tier: 'S',
  check(project, report) {
    for (const module of project.modules) {
      for (const fn of module.functions) {
        if (project.contexts.of(module, fn.id).kind !== 'outside' || fn.form === 'module') continue;
        const seen = new Set<number>();
        for (const { binding, range } of project.linker.flowOf(module, fn.id).lateReads) {
          const { name, kind } = module.bindings[binding]!;
          if (seen.has(range.start) || kind !== 'const') continue;
          seen.add(range.start);
          const term = project.linker.evaluator.evaluate(module, { k: 'ref', binding, ...range });
          if (!isSnapshot(term)) continue;
          report({
            module,
            range,
            message: `${name} was captured when the agent rendered and may be out of date here.`,
          });
        }
      }
    }
  },
});

function isSnapshot(term: Term): boolean {
  if (term.t === 'call') return apiName(term.callee) === 'useDelivery';
  if (term.t !== 'member') return false;
  const made = term.object;
  if (made.t === 'call' && apiName(made.callee) === 'usePersistentState') return term.name === '0';
  return isSnapshot(made) && !(made.t === 'call' && apiName(made.callee) === 'usePersistentState');
}
