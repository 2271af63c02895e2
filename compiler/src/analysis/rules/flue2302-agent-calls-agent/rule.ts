import { runsInRender } from '../../compose/calls-in-renders.ts';
import { perProject } from '../../compose/parts.ts';
import { defineRule } from '../define-rule.ts';

const renderedOf = perProject(
  ({ roots }) =>
    new Map(roots.filter((root) => root.kind !== 'render').map((root) => [root.fn, root.name] as const)),
);

/** A render inside a render. */
export default defineRule({
  code: 'FLUE2302',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    const rendered = renderedOf(project);
    for (const module of project.modules) {
      for (const call of module.calls) {
        if (call.isNew || call.callee.k === 'function') continue;
        const callee = project.linker.evaluator.evaluate(module, call.callee);
        if (callee.t !== 'function') continue;
        const name = rendered.get(callee.module.functions[callee.fn]!);
        if (name === undefined || !runsInRender(project, module, call)) continue;
        report({
          module,
          range: call,
          message: `${name}() is an agent; agents never call each other. Share code with a custom hook or delegate with useSubagent().`,
        });
      }
    }
  },
});
