import { functionOf, isCapitalised } from '../../compose/agents.ts';
import type { Project } from '../../compose/project.ts';
import { hookEvents } from '../../compose/renders.ts';
import type { Term } from '../../compose/term.ts';
import type { Module, Value } from '../../program.ts';
import { defineRule } from '../define-rule.ts';

/** An export that looks like an agent and is made by a call, an alias or a condition. */
export default defineRule({
  code: 'FLUE1011',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    for (const module of project.modules) {
      if (!module.marked) continue;
      for (const entry of module.exports) {
        if (entry.kind !== 'local' || !isCapitalised(entry.name)) continue;
        const binding = module.bindings[entry.binding]!;
        if (!binding.init || binding.path || functionOf(module, binding)) continue;
        if (!wrapped(project, module, binding.init).some((term) => callsHooks(project, term))) continue;
        report({
          module,
          range: binding.range,
          message: `"${entry.name}" looks like an agent but is not a function declaration, so it does not register. Export a function that calls the shared code.`,
        });
      }
    }
  },
});

/** The functions that an initialiser hands over or chooses from. */
function wrapped(project: Project, module: Module, init: Value): Term[] {
  const { evaluator } = project.linker;
  if (init.k === 'call') {
    const call = module.calls[init.call]!;
    return call.args.map((item) => evaluator.evaluate(module, item.value));
  }
  const term = evaluator.evaluate(module, init);
  return term.t === 'choice' ? [...term.options] : [term];
}

function callsHooks(project: Project, term: Term): boolean {
  return term.t === 'function' && hookEvents(project.linker.flowOf(term.module, term.fn)).length > 0;
}
