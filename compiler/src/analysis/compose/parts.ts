import type { Module } from '../program.ts';
import type { Part, Project } from './project.ts';

/** Neighbours that are checked together: few enough for an edit to concern little, enough to spread what a rule costs. */
const PART_SIZE = 8;
const LARGEST_PART = 32;

/**
 * Earlier parts are kept where they hold the same modules and none that is concerned. Where a part ends depends on the
 * path there, so that a file that comes or goes moves no other part.
 */
export function partsOf(
  modules: readonly Module[],
  earlier: readonly Part[] = [],
  concerned: ReadonlySet<string> = new Set(),
): Part[] {
  const byFirst = new Map(earlier.map((part) => [part.modules[0], part]));
  return split(modules).map((own) => {
    const known = byFirst.get(own[0]!);
    const isSame =
      known?.modules.length === own.length &&
      own.every((module, index) => module === known.modules[index] && !concerned.has(module.path));
    return isSame ? known : { modules: own };
  });
}

function split(modules: readonly Module[]): Module[][] {
  const parts: Module[][] = [];
  let open: Module[] = [];
  for (const module of modules) {
    open.push(module);
    if (!endsPart(module) && open.length < LARGEST_PART) continue;
    parts.push(open);
    open = [];
  }
  return open.length > 0 ? [...parts, open] : parts;
}

const ends = new WeakMap<Module, boolean>();

function endsPart(module: Module): boolean {
  const known = ends.get(module) ?? hash(module.path) % PART_SIZE === 0;
  ends.set(module, known);
  return known;
}

/** FNV-1a. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 0x01000193);
  // The low bits alone hardly differ between names that are counted.
  return (state ^ (state >>> 15)) >>> 0;
}

/** A value that is computed once per project, for rules that ask for it in each part. */
export function perProject<T>(compute: (project: Project) => T): (project: Project) => T {
  const memo = new WeakMap<Project, { readonly value: T }>();
  return ({ whole }) => {
    const known = memo.get(whole) ?? { value: compute(whole) };
    memo.set(whole, known);
    return known.value;
  };
}

/** How an item that was found in a part is kept for later runs. */
export interface Kept<T, J> {
  readonly what: string;
  /** as JSON */
  write(item: T): J;
  /** `undefined` where the modules do not hold it */
  read(kept: J, project: Project): T | undefined;
}

/**
 * What is found in each part, all together: looked for again only where something that concerns the part changed. For
 * rules that need the findings of all parts at once.
 */
export function perPart<T, J = never>(
  find: (view: Project) => readonly T[],
  kept?: Kept<T, J>,
): (project: Project) => readonly T[] {
  const memo = new WeakMap<Part, readonly T[]>();
  return ({ whole }) =>
    whole.parts.flatMap((part) => {
      const known = memo.get(part) ?? recall(whole, part) ?? findIn(whole, part);
      memo.set(part, known);
      return known;
    });

  function recall(project: Project, part: Part): readonly T[] | undefined {
    const items = kept && project.partMemory?.recall<readonly J[]>(part, kept.what);
    const found = items?.map((item) => kept!.read(item, project));
    return found?.every((item) => item !== undefined) ? found : undefined;
  }

  function findIn(project: Project, part: Part): readonly T[] {
    const found = find(viewOf(project, part));
    if (kept) project.partMemory?.keep(part, kept.what, found.map(kept.write));
    return found;
  }
}

const listsOf = perProject((project) => ({
  agents: group(project.agents, ({ module }) => module),
  roots: group(project.roots, ({ module }) => module),
  apiCalls: group(project.apiCalls, ({ module }) => module),
  steps: group(project.steps, ({ module }) => module),
  tools: group(project.tools, ({ by }) => by),
  subagents: group(project.subagents, ({ by }) => by),
  specifiers: group(project.specifiers, ({ by }) => by),
}));

/** The project as a rule sees it that looks at one part: it lists what that part says, and `whole` has the rest. */
export function viewOf(project: Project, { modules }: Part): Project {
  const lists = listsOf(project);
  const here = <T>(list: ReadonlyMap<Module, readonly T[]>) =>
    modules.flatMap((module) => list.get(module) ?? []);
  return {
    ...project,
    modules,
    agents: here(lists.agents),
    roots: here(lists.roots),
    apiCalls: here(lists.apiCalls),
    steps: here(lists.steps),
    tools: here(lists.tools),
    subagents: here(lists.subagents),
    specifiers: here(lists.specifiers),
    whole: project,
  };
}

function group<T>(list: readonly T[], keyOf: (item: T) => Module): ReadonlyMap<Module, readonly T[]> {
  const groups = new Map<Module, T[]>();
  for (const item of list) {
    const known = groups.get(keyOf(item));
    if (known) known.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
