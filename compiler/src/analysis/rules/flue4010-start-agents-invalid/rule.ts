import { fieldsOf } from '../../compose/fields.ts';
import type { Project } from '../../compose/project.ts';
import type { Term } from '../../compose/term.ts';
import type { Module, Range, Value } from '../../program.ts';
import { defineRule, type Report } from '../define-rule.ts';

/** Entries that a start would refuse (IDENT-06, IDENT-09). */
export default defineRule({
  code: 'FLUE4010',
  severity: 'error',
  tier: 'S',
  check(project, report) {
    const { evaluator } = project.linker;
    for (const { module, call, name } of project.apiCalls) {
      const argument = call.args[0];
      if (name !== 'start' || !argument || argument.spread) continue;
      const options = evaluator.evaluate(module, argument.value);
      const agents = options.t === 'object' ? fieldsOf(evaluator, options).byName.get('agents') : undefined;
      if (agents?.term.t !== 'array') continue;
      const { items, open } = agents.term;
      if (items.length === 0 && !open) {
        report({
          module: agents.module,
          range: agents.value,
          message: 'start(): the list of agents is empty.',
        });
      }
      checkEntries(project, agents.module, agents.value, items, report);
    }
  },
});

function checkEntries(
  project: Project,
  module: Module,
  list: Value,
  items: readonly Term[],
  report: Report,
): void {
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    const range: Range = list.k === 'array' ? (list.items[index]?.value ?? list) : list;
    const identity = identityOf(project, item);
    if (identity === undefined) continue;
    if (identity === null)
      report({ module, range, message: 'start(): an anonymous agent needs a name; write { agent, name }.' });
    else if (seen.has(identity))
      report({ module, range, message: `start(): two agents are called "${identity}".` });
    else seen.add(identity);
  }
}

/** null: provably none; undefined: not known. */
function identityOf(project: Project, item: Term): string | null | undefined {
  if (item.t === 'object') {
    const { byName, closed } = fieldsOf(project.linker.evaluator, item);
    const name = byName.get('name')?.term;
    if (name) return name.t === 'literal' && typeof name.value === 'string' ? name.value : undefined;
    const agent = byName.get('agent')?.term;
    return closed && agent ? identityOf(project, agent) : undefined;
  }
  if (item.t !== 'function') return undefined;
  const agent = project.whole.agents.find(
    (candidate) => candidate.module === item.module && candidate.fn.id === item.fn,
  );
  if (agent) return agent.identity;
  const fn = item.module.functions[item.fn]!;
  const hasStatic = item.module.assignments.some(
    ({ target }) => target.k === 'member' && target.name === 'agentName' && target.object.k === 'ref',
  );
  return hasStatic ? undefined : (fn.name ?? null);
}
