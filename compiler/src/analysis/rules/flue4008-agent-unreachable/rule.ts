import type { Agent } from '../../compose/agents.ts';
import type { Project } from '../../compose/project.ts';
import { defineRule } from '../define-rule.ts';

/** Modules that hand out all agents at once. */
const LISTS = /^virtual:flue\/|(?:^|\/)\.flue\/(?:agents|routes|client)(?:\.[cm]?[jt]s)?$/;

/** An agent that an application never mentions. Silent without an application. */
export default defineRule({
  code: 'FLUE4008',
  severity: 'info',
  tier: 'G',
  scope: 'project',
  check(project, report) {
    if (project.settings.appEntry === undefined || !project.graph.modules.has(project.settings.appEntry))
      return;
    if (project.modules.some((module) => module.imports.some(({ specifier }) => LISTS.test(specifier))))
      return;
    const mentioned = mentionedBindings(project);
    for (const agent of project.agents) {
      if (mentioned.has(`${agent.module.path}#${agent.binding.id}`) || isUsedAtHome(agent)) continue;
      report({
        module: agent.module,
        range: agent.binding.range,
        message: `Nothing in this project mounts ${agent.binding.name} or sends to it; only flue run can reach it.`,
      });
    }
  },
});

/** Every binding of a module that another module reads; a namespace or dynamic import mentions all of them. */
function mentionedBindings(project: Project): ReadonlySet<string> {
  const mentioned = new Set<string>();
  const mentionAll = (path: string) => {
    for (const binding of project.graph.modules.get(path)?.bindings ?? [])
      mentioned.add(`${path}#${binding.id}`);
  };
  for (const module of project.modules) {
    for (const binding of module.bindings) {
      if (!binding.import || binding.reads === 0) continue;
      const target = project.graph.resolveImport(module, binding.import.specifier, binding.import.name);
      if (target.kind === 'binding') mentioned.add(`${target.module.path}#${target.binding}`);
      else if (target.kind === 'namespace' && target.of.kind === 'project') mentionAll(target.of.module.path);
    }
    for (const { specifier, form } of module.imports) {
      const resolution = module.resolutions[specifier];
      if (form === 'dynamic' && resolution?.kind === 'project') mentionAll(resolution.path);
    }
  }
  return mentioned;
}

/** Reads in its own module beyond its statics. */
function isUsedAtHome({ module, binding }: Agent): boolean {
  const statics = module.assignments.filter(
    ({ target }) =>
      target.k === 'member' && target.object.k === 'ref' && target.object.binding === binding.id,
  );
  return binding.reads > statics.length;
}
