import type { Fn, Module, Range } from '../program.ts';
import type { FlowSummary } from './flow-types.ts';
import type { Project } from './project.ts';
import type { Count, Event } from './world.ts';

/** A function that runs while something renders: a root, or a custom hook of any name. */
export interface Render {
  readonly module: Module;
  readonly fn: Fn;
  readonly summary: FlowSummary;
}

const memo = new WeakMap<Project, readonly Render[]>();

/** All of them: the roots first, then every function that reaches a hook and is not known to run elsewhere. */
export function rendersOf(project: Project): readonly Render[] {
  const known = memo.get(project);
  if (known) return known;
  const renders: Render[] = [];
  const seen = new Set<Fn>();
  const add = (module: Module, fn: Fn): void => {
    if (seen.has(fn)) return;
    seen.add(fn);
    renders.push({ module, fn, summary: project.linker.flowOf(module, fn.id) });
  };
  for (const root of project.roots) add(root.module, root.fn);
  for (const module of project.modules) {
    for (const fn of module.functions) {
      if (!seen.has(fn) && fn.form !== 'module' && isRender(project, module, fn)) add(module, fn);
    }
  }
  memo.set(project, renders);
  return renders;
}

/**
 * Those that say what is repeated: a helper that is in use is judged in the renders that use it, with what they hand to
 * it, and by itself only where nobody in sight does.
 */
export function rendersInUse(project: Project): readonly Render[] {
  const roots = new Set(project.roots.map(({ fn }) => fn));
  return rendersOf(project).filter(({ fn }) => roots.has(fn) || !project.reached.has(fn));
}

/** Whether the function itself is rendered, or can only run while something is. */
export function isRender(project: Project, module: Module, fn: Fn): boolean {
  const context = project.contexts.of(module, fn.id);
  if (context.kind !== 'unknown') return context.kind === 'render';
  return hookEvents(project.linker.flowOf(module, fn.id)).length > 0;
}

/** Hook calls of a completing path, one count per place. */
export function hookEvents(summary: FlowSummary): readonly Count[] {
  return eventsOf(summary, 'hook');
}

export function eventsOf(summary: FlowSummary, kind: Event['kind']): readonly Count[] {
  const found: Count[] = [];
  for (const [key, count] of summary.exit?.counts ?? []) {
    if (count.first.kind === kind && key === count.first.site) found.push(count);
  }
  return found;
}

export interface Place {
  readonly module: Module;
  readonly range: Range;
}

/** The calls that lead to an event, outermost first, itself last. */
export function pathTo(event: Event): readonly Place[] {
  return [
    ...event.chain.map((hop) => ({ module: hop.module, range: hop.call })),
    { module: event.module, range: event.call },
  ];
}

/**
 * Where two occurrences of one thing part: the place the author must change, and the other one. Equal paths are one
 * call that a loop repeats.
 */
export function partingOf(
  first: Event,
  second: Event,
): { readonly at: Place; readonly other: Place; readonly repeated: boolean } {
  const a = pathTo(first);
  const b = pathTo(second);
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a[i]!.module !== b[i]!.module || a[i]!.range.start !== b[i]!.range.start)
      return { at: b[i]!, other: a[i]!, repeated: false };
  }
  return { at: b.at(-1)!, other: a.at(-1)!, repeated: true };
}

/** `lookup.ts:4`: a place in words. */
export function nameOf(place: Place): string {
  const { lineStarts, path } = place.module;
  let line = 1;
  while (line < lineStarts.length && lineStarts[line]! <= place.range.start) line++;
  return `${path.slice(path.lastIndexOf('/') + 1)}:${line}`;
}
