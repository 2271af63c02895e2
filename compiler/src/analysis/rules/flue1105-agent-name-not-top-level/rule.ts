import type { Agent } from '../../compose/agents.ts';
import type { Project } from '../../compose/project.ts';
import type { Module, Range, Value } from '../../program.ts';
import { defineRule } from '../define-rule.ts';

const ASSIGNERS = new Set(['Object.assign', 'Object.defineProperty', 'Object.defineProperties']);

/** An agentName that a build cannot see. */
export default defineRule({
  code: 'FLUE1105',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    for (const module of project.modules) {
      const complain = (agent: Agent, range: Range) =>
        report({
          module,
          range,
          message: `This agentName assignment is invisible to the build, which will use "${agent.identity}". Assign a literal at the top level.`,
        });
      for (const { target, topLevel, operator, start, end } of module.assignments) {
        if (target.k !== 'member' || target.name !== 'agentName') continue;
        const agent = agentAt(project, module, target.object);
        const isVisible = topLevel && operator === '=' && !target.computed && agent?.module === module;
        if (agent && !isVisible) complain(agent, { start, end });
      }
      for (const call of module.calls) {
        if (call.callee.k !== 'member' || call.args.length < 2) continue;
        const callee = project.linker.evaluator.evaluate(module, call.callee);
        if (callee.t !== 'external' || !ASSIGNERS.has(callee.name)) continue;
        const agent = agentAt(project, module, call.args[0]!.value);
        if (agent && call.args.slice(1).some(({ value }) => namesAgentName(value))) complain(agent, call);
      }
    }
  },
});

/** The agent that an expression names, in its own module or imported. */
function agentAt(project: Project, module: Module, value: Value): Agent | undefined {
  if (value.k !== 'ref') return undefined;
  const term = project.linker.evaluator.evaluate(module, value);
  if (term.t !== 'function') return undefined;
  return project.whole.agents.find((agent) => agent.module === term.module && agent.fn.id === term.fn);
}

function namesAgentName(value: Value): boolean {
  if (value.k === 'literal') return value.value === 'agentName';
  return value.k === 'object' && value.entries.some((entry) => entry.key === 'agentName');
}
