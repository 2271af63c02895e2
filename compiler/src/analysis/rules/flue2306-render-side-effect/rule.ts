import { runsInRender } from '../../compose/calls-in-renders.ts';
import { effectOf } from '../../compose/effects.ts';
import { defineRule } from '../define-rule.ts';

/** An effect that is repeated with every render. */
export default defineRule({
  code: 'FLUE2306',
  severity: 'hint',
  tier: 'G',
  check(project, report) {
    for (const module of project.modules) {
      for (const call of module.calls) {
        const effect = effectOf(project.linker.evaluator, module, call);
        if (!effect || effect === 'model' || !runsInRender(project, module, call)) continue;
        report({
          module,
          range: call,
          message:
            'Renders repeat before every model call, so this effect repeats too. Move it to a tool or useAgentStart().',
        });
      }
    }
  },
});
