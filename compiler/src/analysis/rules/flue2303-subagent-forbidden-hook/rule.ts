import { HOOKS, type HookRow, isHookName } from '@flue/runtime/internal';
import type { Root } from '../../compose/entries.ts';
import { fieldsOf } from '../../compose/fields.ts';
import type { Project } from '../../compose/project.ts';
import { hookEvents, pathTo } from '../../compose/renders.ts';
import { defineRule } from '../define-rule.ts';

/** A hook that a delegate's frame does not have (DELEG-09). */
export default defineRule({
  code: 'FLUE2303',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    const seen = new Set<string>();
    for (const root of project.roots) {
      if (root.kind !== 'delegate') continue;
      for (const count of hookEvents(project.linker.flowOf(root.module, root.fn.id))) {
        const { name } = count.first;
        const row: HookRow | undefined = isHookName(name) ? HOOKS[name] : undefined;
        if (!row || row.subagent === 'works') continue;
        const path = pathTo(count.first);
        const at = path[0]!;
        const key = `${name}@${at.module.path}#${at.range.start}`;
        if (seen.has(key)) continue;
        seen.add(key);
        report({
          ...at,
          message: `${name}() is not available to the delegate "${nameOf(project, root)}". ${row.subagent.throws}`,
          severity: count.sure > 0 ? 'error' : 'warning',
          related: path.slice(1).map((place) => ({ ...place, message: 'reached here' })),
        });
      }
    }
  },
});

function nameOf(project: Project, root: Root): string {
  const definition = project.whole.subagents.find((subagent) => subagent.agent?.fn === root.fn);
  const name = definition && fieldsOf(project.linker.evaluator, definition.term).byName.get('name')?.term;
  return name?.t === 'literal' && typeof name.value === 'string' ? name.value : root.name;
}
