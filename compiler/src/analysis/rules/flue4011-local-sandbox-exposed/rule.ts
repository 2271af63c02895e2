import type { Agent } from '../../compose/agents.ts';
import { mountsOf } from '../../compose/mounts.ts';
import type { Project } from '../../compose/project.ts';
import { hookEvents } from '../../compose/renders.ts';
import { calledApi } from '../../compose/term.ts';
import { defineRule } from '../define-rule.ts';

/** The host's own shell behind a path that everybody may call (LOC-10). */
export default defineRule({
  code: 'FLUE4011',
  severity: 'warning',
  tier: 'G',
  scope: 'project',
  check(project, report) {
    for (const { agent, module, range, path, authorized } of mountsOf(project)) {
      if (authorized !== false || !mayRunLocally(project, agent)) continue;
      report({
        module,
        range,
        message: `${agent.binding.name} runs on the host's shell and files and is mounted at ${path} without authorization.`,
      });
    }
  },
});

function mayRunLocally(project: Project, { module, fn }: Agent): boolean {
  return hookEvents(project.linker.flowOf(module, fn.id)).some(({ first }) => {
    const factory = first.name === 'useSandbox' ? first.args[0] : undefined;
    const options = factory?.t === 'choice' ? factory.options : factory ? [factory] : [];
    return options.some((option) => calledApi(option) === 'local');
  });
}
