import { BUILTIN_TOOLS } from '@flue/runtime/internal';
import { hookEvents } from '../../compose/renders.ts';
import { argumentRange } from '../../compose/slots.ts';
import type { Term } from '../../compose/term.ts';
import type { Count } from '../../compose/world.ts';
import { defineRule } from '../define-rule.ts';

/** A custom tool beside the built-in one of the same name (NAME-01). */
export default defineRule({
  code: 'FLUE3005',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    const seen = new Set<string>();
    for (const root of project.roots) {
      if (root.kind === 'delegate') continue;
      const events = hookEvents(project.linker.flowOf(root.module, root.fn.id));
      const supplied = builtinsOn(events);
      if (supplied === 'never') continue;
      for (const { first, min } of events) {
        const name =
          first.name === 'useTool' && first.args[0]
            ? project.linker.evaluator.member(first.args[0], 'name')
            : undefined;
        if (
          name?.t !== 'literal' ||
          !(BUILTIN_TOOLS as readonly unknown[]).includes(name.value) ||
          seen.has(first.site)
        )
          continue;
        seen.add(first.site);
        report({
          module: first.module,
          range: argumentRange(first, 0),
          message: `"${String(name.value)}" collides with the built-in tool of this agent's sandbox.`,
          severity: supplied === 'always' && min > 0 ? 'error' : 'warning',
        });
      }
    }
  },
});

/** On which paths the environment brings the built-in tools: a factory of others may bring its own set. */
function builtinsOn(events: readonly Count[]): 'always' | 'sometimes' | 'never' {
  const foreign = events.filter(({ first }) => first.name === 'useSandbox' && !isFirstParty(first.args[0]));
  if (foreign.length === 0) return 'always';
  return foreign.some(({ min }) => min > 0) ? 'never' : 'sometimes';
}

function isFirstParty(factory: Term | undefined): boolean {
  const made = factory?.t === 'call' ? factory.callee : factory;
  return made?.t === 'api' && (made.name === 'local' || made.name === 'bash');
}
