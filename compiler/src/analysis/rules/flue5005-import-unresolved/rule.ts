import type { Project } from '../../compose/project.ts';
import type { Module } from '../../program.ts';
import { defineRule } from '../define-rule.ts';

/** Specifiers that a platform or a bundler answers, not the file system. */
const FOREIGN = /^(?:node|bun|cloudflare|virtual|https?|data|astro|workerd):|^\0|\?/;

/** Where the analysis of an agent stops because nobody knows the file (RULE-10). */
export default defineRule({
  code: 'FLUE5005',
  severity: 'info',
  tier: 'G',
  scope: 'project',
  check(project, report) {
    // Most projects have none, and then nobody need walk the imports.
    if (!project.modules.some(lacksSomething)) return;
    const seen = new Set<string>();
    for (const module of reachedByAgents(project)) {
      for (const { specifier, specifierRange, typeOnly } of module.imports) {
        if (typeOnly || seen.has(specifier) || FOREIGN.test(specifier) || /\.mdx?$/.test(specifier)) continue;
        if (module.resolutions[specifier]?.kind !== 'unresolved') continue;
        seen.add(specifier);
        report({
          module,
          range: specifierRange,
          message: `"${specifier}" cannot be resolved here; hooks behind it are not checked.`,
        });
      }
    }
  },
});

const lacking = new WeakMap<Module, boolean>();

function lacksSomething(module: Module): boolean {
  const known =
    lacking.get(module) ?? Object.values(module.resolutions).some(({ kind }) => kind === 'unresolved');
  lacking.set(module, known);
  return known;
}

function reachedByAgents(project: Project): Module[] {
  const reached = new Set<Module>();
  const queue = project.agents.map((agent) => agent.module);
  for (let module = queue.pop(); module; module = queue.pop()) {
    if (reached.has(module)) continue;
    reached.add(module);
    for (const resolution of Object.values(module.resolutions)) {
      const next = resolution.kind === 'project' ? project.graph.modules.get(resolution.path) : undefined;
      if (next) queue.push(next);
    }
  }
  return project.modules.filter((module) => reached.has(module));
}
