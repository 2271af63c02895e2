import { isTestFile, type Project } from '../../compose/project.ts';
import { eventsOf, hookEvents } from '../../compose/renders.ts';
import type { Event } from '../../compose/world.ts';
import type { Fn, Module } from '../../program.ts';
import { defineRule, type Report } from '../define-rule.ts';

/** A function that calls hooks, called where no render can be running. */
export default defineRule({
  code: 'FLUE2003',
  severity: 'error',
  tier: 'G',
  check(project, report) {
    for (const module of project.modules) {
      if (isTestFile(module.path)) continue;
      for (const fn of module.functions) {
        const context = project.contexts.of(module, fn.id);
        if (context.kind === 'outside') checkFunction(project, module, fn, context.where, report);
      }
    }
  },
});

/** The flow of the function itself says which of its calls can be reached at all (RULE-24). */
function checkFunction(project: Project, module: Module, fn: Fn, where: string, report: Report): void {
  const seen = new Set<number>();
  for (const { first } of eventsOf(project.linker.flowOf(module, fn.id), 'hook')) {
    const [hop] = first.chain;
    if (!hop || seen.has(hop.call.id)) continue;
    seen.add(hop.call.id);
    report({
      module,
      range: hop.call,
      message: `${hop.callee}() reaches ${first.name}() and is called ${where}, outside any render.`,
      severity: alwaysReaches(project, module, hop.call.id) ? 'error' : 'warning',
      related: chainOf(first),
    });
  }
}

function alwaysReaches(project: Project, module: Module, call: number): boolean {
  const callee = project.linker.evaluator.evaluate(module, module.calls[call]!.callee);
  if (callee.t !== 'function') return false;
  return hookEvents(project.linker.flowOf(callee.module, callee.fn)).some((count) => count.sure > 0);
}

function chainOf(event: Event) {
  const hops = event.chain
    .slice(1)
    .map((hop) => ({ module: hop.module, range: hop.call, message: `through ${hop.callee}()` }));
  return [...hops, { module: event.module, range: event.call, message: `${event.name}() is called here` }];
}
