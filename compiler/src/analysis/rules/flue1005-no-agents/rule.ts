import { functionOf, isCapitalised } from '../../compose/agents.ts';
import type { Project } from '../../compose/project.ts';
import { hookEvents } from '../../compose/renders.ts';
import { DIRECTIVE } from '../../find.ts';
import type { Module } from '../../program.ts';
import { defineRule, type RelatedPlace } from '../define-rule.ts';

/** A marked module without an agent. When it is none of ours, that is a note and not a fault. */
export default defineRule({
  code: 'FLUE1005',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    const withAgents = new Set(project.agents.map((agent) => agent.module));
    for (const module of project.modules) {
      if (!module.marked || withAgents.has(module) || hasAnonymousDefault(module)) continue;
      const directive = module.directives.find(
        ({ text, place }) => text === DIRECTIVE && place === 'prologue',
      );
      report({
        module,
        range: directive ?? { start: 0, end: 0 },
        message:
          "This module is marked 'use agent' but exports no agent. Export a capitalised function or drop the directive.",
        severity: isOurs(project, module) ? 'error' : 'info',
        related: nearMisses(module),
      });
    }
  },
});

/** FLUE1007 says what to do about it. */
function hasAnonymousDefault(module: Module): boolean {
  return module.exports.some((entry) => entry.kind === 'value' && entry.value.k === 'function');
}

function isOurs(project: Project, module: Module): boolean {
  return (
    module.imports.some(
      ({ specifier }) => specifier === '@flue/runtime' || specifier.startsWith('@flue/runtime/'),
    ) || module.functions.some((fn) => hookEvents(project.linker.flowOf(module, fn.id)).length > 0)
  );
}

function nearMisses(module: Module): RelatedPlace[] {
  const exported = new Set(
    module.exports.flatMap((entry) => (entry.kind === 'local' ? [entry.binding] : [])),
  );
  return module.bindings.flatMap((binding) => {
    if (binding.owner !== 0 || !functionOf(module, binding)) return [];
    if (exported.has(binding.id))
      return [{ module, range: binding.range, message: `"${binding.name}" is exported but not capitalised` }];
    if (isCapitalised(binding.name))
      return [{ module, range: binding.range, message: `"${binding.name}" is not exported` }];
    return [];
  });
}
