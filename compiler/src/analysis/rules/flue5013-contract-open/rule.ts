import { fieldsOf } from '../../compose/fields.ts';
import { servedAgents } from '../../compose/mounts.ts';
import type { Project } from '../../compose/project.ts';
import { hookEvents } from '../../compose/renders.ts';
import { argumentRange } from '../../compose/slots.ts';
import type { Event } from '../../compose/world.ts';
import { defineRule, type RelatedPlace } from '../define-rule.ts';

/** A name that the typed client cannot know (TCLI-08, TCLI-10). */
export default defineRule({
  code: 'FLUE5013',
  severity: 'info',
  tier: 'G',
  scope: 'project',
  check(project, report) {
    for (const agent of servedAgents(project)) {
      for (const { first } of hookEvents(project.linker.flowOf(agent.module, agent.fn.id))) {
        const open = openName(project, first);
        if (open) report(open);
      }
    }
  },
});

function openName(project: Project, event: Event): RelatedPlace | undefined {
  const [argument] = event.args;
  if (!argument) return undefined;
  if (event.name === 'useDataWriter') {
    if (argument.t === 'literal') return undefined;
    const message = openMessage('The name of this data part', 'an untyped data part');
    return { module: event.module, range: argumentRange(event, 0), message };
  }
  if (event.name !== 'useTool' || argument.t !== 'object') return undefined;
  const name = fieldsOf(project.linker.evaluator, argument).byName.get('name');
  if (!name || name.term.t === 'literal') return undefined;
  const message = openMessage('The name of this tool', 'an open set of tools');
  return { module: name.module, range: name.value, message };
}

function openMessage(what: string, fallback: string): string {
  return `${what} is not statically known, so clients see ${fallback}.`;
}
