import type { Root } from '../../compose/entries.ts';
import type { Project } from '../../compose/project.ts';
import { eventsOf, nameOf } from '../../compose/renders.ts';
import { rootOf } from '../../compose/term.ts';
import type { Decider, World } from '../../compose/world.ts';
import { excerpt } from '../../position.ts';
import { defineRule, type Repair } from '../define-rule.ts';

/** Calls that make an agent reachable by itself, rather than as a delegate. */
const SENDS = new Set(['dispatch', 'init', 'getAgentInstance', 'createAgentRouter', 'start']);

/** An agent that can finish a render without a model (MODEL-01). */
export default defineRule({
  code: 'FLUE2101',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    const delegates = new Set(
      project.roots.filter((root) => root.kind === 'delegate').map((root) => root.fn),
    );
    for (const root of project.roots) {
      if (root.kind !== 'agent' && root.kind !== 'start') continue;
      if (root.fn.async || root.fn.generator) continue; // FLUE1006 comes first.
      const summary = project.linker.flowOf(root.module, root.fn.id);
      const count = summary.exit?.counts.get('useModel');
      if (!summary.exit || summary.limited || (count && count.min > 0) || mayHideModel(project, root))
        continue;
      if (delegates.has(root.fn) && !isSentTo(project, root)) continue;
      const decider = count && skippedBy(summary.exits, count.deciders);
      const where = decider
        ? `: nothing calls useModel() on one side of "${excerpt(decider.module, decider.range)}" (${nameOf(decider)})`
        : '';
      const advice = count ? '' : ' If it is only a delegate or helper, move it out of the marked module.';
      report({
        module: root.module,
        range: root.nameRange,
        message: `${root.name} can render without a model${where}. Call useModel() exactly once on every path.${advice}`,
        severity: count ? 'warning' : 'error',
        related: decider ? [{ module: decider.module, range: decider.range, message: 'this decides' }] : [],
        fixes: count ? [] : insertCall(project, root),
      });
    }
  },
});

/** An opaque callee of a Flue-dependent package, or something the caller passed in, might declare it. */
function mayHideModel(project: Project, root: Root): boolean {
  const summary = project.linker.flowOf(root.module, root.fn.id);
  if (eventsOf(summary, 'opaque').length > 0) return true;
  return eventsOf(summary, 'invoke').some(({ first }) => {
    const target = first.target && rootOf(first.target);
    return !(target?.t === 'param' && target.fn === root.fn.id && target.module === root.module);
  });
}

function isSentTo(project: Project, root: Root): boolean {
  return project.whole.apiCalls.some(({ module, call, name }) => {
    const target = SENDS.has(name) ? call.args[0]?.value : undefined;
    if (!target) return false;
    const term = project.linker.evaluator.evaluate(module, target);
    return term.t === 'function' && term.module === root.module && term.fn === root.fn.id;
  });
}

function skippedBy(exits: readonly World[], deciders: readonly Decider[]): Decider | undefined {
  const skipping = exits.find((world) => (world.counts.get('useModel')?.min ?? 0) === 0);
  return skipping?.guards.at(-1) ?? deciders[0];
}

/** Only where the name is already imported: the model itself is the author's choice. */
function insertCall(project: Project, root: Root): Repair[] {
  const { module, fn } = root;
  const imported = module.bindings.find((binding) => {
    if (!binding.import) return false;
    const target = project.graph.resolveImport(module, binding.import.specifier, binding.import.name);
    return target.kind === 'api' && target.name === 'useModel';
  });
  if (!imported || module.text[fn.bodyRange.start] !== '{') return [];
  const start = fn.bodyRange.start + 1;
  return [
    {
      title: 'Insert a useModel() call',
      safe: true,
      edits: [{ start, end: start, text: `\n  ${imported.name}('anthropic/claude-haiku-4-5');` }],
    },
  ];
}
