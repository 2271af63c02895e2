import type { Project } from './project.ts';

/** Ids that the project registers; `undefined` when one of them is not static, so that any may be. */
export function registeredProviders(project: Project): ReadonlySet<string> | undefined {
  const ids = new Set<string>();
  for (const { module, call, name } of project.apiCalls) {
    if (name !== 'registerProvider') continue;
    const argument = call.args[0];
    const id =
      argument && !argument.spread ? project.linker.evaluator.evaluate(module, argument.value) : undefined;
    if (id?.t !== 'literal') return undefined;
    ids.add(String(id.value));
  }
  return ids;
}
