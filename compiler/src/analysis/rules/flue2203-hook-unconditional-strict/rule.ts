import type { Root } from '../../compose/entries.ts';
import type { Project } from '../../compose/project.ts';
import { hookEvents, nameOf } from '../../compose/renders.ts';
import { excerpt } from '../../position.ts';
import type { Module, Range } from '../../program.ts';
import { defineRule, type Report } from '../define-rule.ts';

/** Conditional by contract, under any profile. */
const FREE = new Set(['useTool', 'useSkill', 'useSubagent']);

/** The discipline of one order on every render, for teams that turn it on (RULE-19). */
export default defineRule({
  code: 'FLUE2203',
  severity: 'off',
  whenOn: 'error',
  tier: 'G',
  check(project, report) {
    const seen = new Set<string>();
    for (const root of project.roots) checkRoot(project, root, seen, report);
  },
});

function checkRoot(project: Project, root: Root, seen: Set<string>, report: Report): void {
  const summary = project.linker.flowOf(root.module, root.fn.id);
  const complain = (module: Module, range: Range, hook: string, when: string) => {
    const key = `${module.path}#${range.start}`;
    if (seen.has(key)) return;
    seen.add(key);
    report({
      module,
      range,
      message: `Strict profile: ${hook}() must run on every render, in the same order (${when}).`,
    });
  };
  for (const { first, min, max, deciders } of hookEvents(summary)) {
    if (FREE.has(first.name) || (min > 0 && max === min)) continue;
    const [by] = deciders;
    complain(
      first.module,
      first.call,
      first.name,
      by ? `it runs under "${excerpt(by.module, by.range)}", ${nameOf(by)}` : 'it runs on some paths only',
    );
  }
  for (const { first, second } of summary.swaps) {
    complain(first.module, first.call, first.name, `it changes places with ${second.name}()`);
  }
}
