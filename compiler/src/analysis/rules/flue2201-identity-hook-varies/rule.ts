import type { Root } from '../../compose/entries.ts';
import { nameOf } from '../../compose/renders.ts';
import { levelFor } from '../../compose/slots.ts';
import type { Decider } from '../../compose/world.ts';
import { excerpt } from '../../position.ts';
import { defineRule } from '../define-rule.ts';

/** A data part that some renders of a response declare and others do not (HOOK-05, `identity-invariant`). */
export default defineRule({
  code: 'FLUE2201',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    const seen = new Set<string>();
    for (const root of project.roots) {
      if (root.kind === 'delegate') continue;
      for (const [key, count] of project.linker.flowOf(root.module, root.fn.id).exit?.counts ?? []) {
        const { first } = count;
        if (first.kind !== 'hook' || first.name !== 'useDataWriter' || seen.has(`${first.site}`)) continue;
        const [name] = first.args;
        const isNamed = name?.t === 'literal';
        // A known name counts under that name, whichever branch declares it; an unknown one under its place.
        if (isNamed === (key === first.site)) continue;
        const level = name && !isNamed ? levelFor(root, project.linker.stability.ofTerm(name)) : 'fixed';
        const decider = count.min > 0 ? undefined : worst(root, count.deciders);
        const conditional =
          count.min > 0 ? 'fixed' : decider ? levelFor(root, decider.steadiness) : 'unknown';
        if (level === 'fixed' && conditional === 'fixed') continue;
        seen.add(first.site);
        const label = isNamed
          ? `"${String(name.value)}"`
          : `"${excerpt(first.module, first.call.args[0]?.value ?? first.call)}"`;
        const when = decider
          ? `under "${excerpt(decider.module, decider.range)}" (${nameOf(decider)})`
          : 'under a name that is not fixed';
        report({
          module: first.module,
          range: first.call,
          message: `The data part ${label} is declared only ${when}, and that can change between renders of one response. Declare it unconditionally.`,
          severity: level === 'varying' || conditional === 'varying' ? 'error' : 'warning',
          related: decider ? [{ module: decider.module, range: decider.range, message: 'this decides' }] : [],
        });
      }
    }
  },
});

function worst(root: Root, deciders: readonly Decider[]): Decider | undefined {
  const at = (level: string) => deciders.find((decider) => levelFor(root, decider.steadiness) === level);
  return at('varying') ?? at('unknown') ?? deciders[0];
}
