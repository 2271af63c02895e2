import { functionOf, isCapitalised } from '../../compose/agents.ts';
import type { Project } from '../../compose/project.ts';
import type { Binding, Module } from '../../program.ts';
import { defineRule } from '../define-rule.ts';

/** A function that declares a model, exported under a name that does not register. */
export default defineRule({
  code: 'FLUE1012',
  severity: 'warning',
  tier: 'G',
  scope: 'project',
  check(project, report) {
    for (const module of project.modules) {
      if (!module.marked) continue;
      for (const entry of module.exports) {
        if (entry.kind !== 'local' || entry.name === 'default') continue;
        if (isCapitalised(entry.name) || /^use[A-Z0-9_]|^use$/.test(entry.name)) continue;
        const binding = module.bindings[entry.binding]!;
        const fn = functionOf(module, binding);
        const count = fn && project.linker.flowOf(module, fn.id).exit?.counts.get('useModel');
        const isAgent = project.agents.some((agent) => agent.fn === fn);
        if (!count || count.min === 0 || isAgent || isUsed(project, module, binding)) continue;
        report({
          module,
          range: binding.range,
          message: `"${entry.name}" calls useModel() but is not capitalised, so it is not registered as an agent.`,
        });
      }
    }
  },
});

function isUsed(project: Project, module: Module, binding: Binding): boolean {
  if (binding.reads > 0) return true;
  return project.modules.some((other) =>
    other.bindings.some((candidate) => {
      if (!candidate.import || candidate.reads === 0) return false;
      const target = project.graph.resolveImport(other, candidate.import.specifier, candidate.import.name);
      return target.kind === 'binding' && target.module === module && target.binding === binding.id;
    }),
  );
}
