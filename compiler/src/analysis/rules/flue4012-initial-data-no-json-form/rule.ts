import { perProject } from '../../compose/parts.ts';
import { partsWithoutJson } from '../../compose/schema-parts.ts';
import { defineRule } from '../define-rule.ts';

const mountedIn = perProject(
  ({ apiCalls, linker }) =>
    new Set(
      apiCalls.flatMap(({ module, call, name }) => {
        const value = name === 'createAgentRouter' ? call.args[0]?.value : undefined;
        const target = value && linker.evaluator.evaluate(module, value);
        return target?.t === 'function' ? [target.module.functions[target.fn]!] : [];
      }),
    ),
);

/** Initial data that no HTTP client can send (TCLI-06). */
export default defineRule({
  code: 'FLUE4012',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    const { evaluator } = project.linker;
    const mounted = mountedIn(project);
    for (const agent of project.agents) {
      for (const { name, assignment } of agent.statics) {
        if (name !== 'initialData') continue;
        for (const part of partsWithoutJson(evaluator, evaluator.evaluate(agent.module, assignment.value))) {
          report({
            module: part.module,
            range: part.range,
            message: `initialData${part.path === '' ? '' : `.${part.path}`}: ${part.type} has no JSON form, so HTTP clients cannot create this agent.`,
            severity: mounted.has(agent.fn) ? 'error' : 'warning',
          });
        }
      }
    }
  },
});
