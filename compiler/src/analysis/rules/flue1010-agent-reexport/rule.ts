import { functionOf, isCapitalised } from '../../compose/agents.ts';
import type { Target } from '../../compose/graph.ts';
import { perProject } from '../../compose/parts.ts';
import type { Project } from '../../compose/project.ts';
import { hookEvents } from '../../compose/renders.ts';
import type { Export, Fn, Module } from '../../program.ts';
import { defineRule } from '../define-rule.ts';

/** A function with hooks that a marked module passes on and nobody registers. */
export default defineRule({
  code: 'FLUE1010',
  severity: 'warning',
  tier: 'G',
  check(project, report) {
    const registered = registeredIn(project);
    for (const module of project.modules) {
      if (!module.marked) continue;
      for (const entry of module.exports) {
        for (const { name, target } of passedOn(project, module, entry)) {
          const found = functionAt(target);
          if (!found || registered.has(found.fn) || !isCapitalised(name)) continue;
          if (hookEvents(project.linker.flowOf(found.module, found.fn.id)).length === 0) continue;
          report({
            module,
            range: entry.range,
            message: `Re-exports never register. "${name}" is not an agent until its own module has 'use agent'.`,
            related: [
              { module: found.module, range: found.fn.nameRange, message: `"${name}" is declared here` },
            ],
          });
        }
      }
    }
  },
});

const registeredIn = perProject(({ agents }) => new Set(agents.map(({ fn }) => fn)));

function passedOn(project: Project, module: Module, entry: Export): { name: string; target: Target }[] {
  const { graph } = project;
  if (entry.kind === 'from') {
    return entry.typeOnly
      ? []
      : [{ name: entry.name, target: graph.resolveImport(module, entry.specifier, entry.imported) }];
  }
  if (entry.kind === 'local') {
    const source = module.bindings[entry.binding]!.import;
    return source && !source.typeOnly
      ? [{ name: entry.name, target: graph.resolveImport(module, source.specifier, source.name) }]
      : [];
  }
  if (entry.kind !== 'star' || entry.typeOnly) return [];
  const resolution = module.resolutions[entry.specifier];
  const source = resolution?.kind === 'project' ? graph.modules.get(resolution.path) : undefined;
  return (source?.exports ?? []).flatMap((inner) =>
    inner.kind === 'local' || inner.kind === 'from'
      ? [{ name: inner.name, target: graph.resolveExport(source!, inner.name) }]
      : [],
  );
}

function functionAt(target: Target): { module: Module; fn: Fn } | undefined {
  if (target.kind !== 'binding') return undefined;
  const fn = functionOf(target.module, target.module.bindings[target.binding]!);
  return fn && { module: target.module, fn };
}
