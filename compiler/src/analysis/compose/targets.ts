import { functionOf } from './agents.ts';
import type { Project } from './project.ts';
import type { Term } from './term.ts';

/** Why a function of the project is no agent that can be sent to or mounted; `undefined` when it is one. */
export function whyNoAgent(project: Project, term: Term & { readonly t: 'function' }): string | undefined {
  const fn = term.module.functions[term.fn]!;
  const isServed = project.roots.some(
    (root) => root.fn === fn && (root.kind === 'agent' || root.kind === 'start'),
  );
  if (isServed) return undefined;
  // Listed in a start() call whose entries cannot be seen.
  if (project.apiCalls.some((api) => api.name === 'start' && !isListInSight(project, api))) return undefined;
  const isExported = term.module.exports.some(
    (entry) => entry.kind === 'local' && functionOf(term.module, term.module.bindings[entry.binding]!) === fn,
  );
  if (!term.module.marked) return "its module has no 'use agent'";
  return isExported ? 'it is not exported under a capitalised name' : 'it is not exported';
}

function isListInSight(project: Project, { module, call }: Project['apiCalls'][number]): boolean {
  const { evaluator } = project.linker;
  const options =
    call.args[0] && !call.args[0].spread ? evaluator.evaluate(module, call.args[0].value) : undefined;
  if (options?.t !== 'object') return false;
  const list = evaluator.member(options, 'agents');
  return (
    list.t === 'array' &&
    !list.open &&
    list.items.every((item) => item.t === 'function' || item.t === 'object')
  );
}
