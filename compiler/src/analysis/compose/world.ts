/**
 * What may have happened when control reaches a point: the state of the one dataflow pass (RULE-25).
 *
 * W1  A world is a set of paths that agree on what is assumed of the tracked tests; worlds with equal assumptions are
 *     merged where paths meet, so their number never depends on the number of branches.
 * W2  `min` is what every path of the world did, `max` what some path did, both counted to two.
 * W3  Worlds are values: adding an event gives a new world.
 */
import type { HookName } from '@flue/runtime/internal';
import type { Call, Module, Range } from '../program.ts';
import { combine, type Steadiness } from './stability.ts';
import type { Env, Term } from './term.ts';

/** A call on the way from the function under analysis to the event. */
export interface Hop {
  readonly module: Module;
  readonly call: Call;
  /** the name of the function that is called */
  readonly callee: string;
}

export type EventKind =
  /** a call of a Flue hook */
  | 'hook'
  /** a call of a setter, a data writer or a self-dispatcher */
  | 'write'
  /** `step.do` of a durable tool */
  | 'step'
  /** `append` of an event hook's context */
  | 'append'
  /** a call of another Flue export */
  | 'api'
  /** a call of something only the caller knows */
  | 'invoke'
  /** a call that may reach hooks out of sight */
  | 'opaque';

export interface Event {
  readonly kind: EventKind;
  /** the hook; for a write, the hook that gave the writer; else the name of what is called */
  readonly name: HookName | string;
  readonly module: Module;
  readonly call: Call;
  readonly env: Env;
  readonly args: readonly Term[];
  /** what is called, for `invoke` and `write` */
  readonly target: Term | undefined;
  /** outermost first; the event's own call is not part of it */
  readonly chain: readonly Hop[];
  readonly site: string;
}

export interface Decider {
  readonly steadiness: Steadiness;
  readonly module: Module;
  readonly range: Range;
}

export interface Count {
  readonly min: number;
  readonly max: number;
  /** `min` over the paths that `min` gives the author the benefit of the doubt for, too: what an error may rest on */
  readonly sure: number;
  readonly first: Event;
  readonly second: Event | undefined;
  /** what decides between the paths that differ */
  readonly deciders: readonly Decider[];
}

export type Await = 'no' | 'may' | 'must';

export interface World {
  readonly assume: ReadonlyMap<string, boolean>;
  readonly counts: ReadonlyMap<string, Count>;
  /** order-sensitive hooks in the order in which they ran */
  readonly order: readonly Event[];
  readonly awaited: Await;
  /** tests that a path has left early under */
  readonly guards: readonly Decider[];
  /** kept apart from worlds that have declared other things: where a `try` asks what has been declared */
  readonly apart: boolean;
}

export const START: World = {
  assume: new Map(),
  counts: new Map(),
  order: [],
  awaited: 'no',
  guards: [],
  apart: false,
};

const MAX_WORLDS = 32;
const MAX_COUNT = 2;
const MAX_DECIDERS = 4;

export function addEvent(
  world: World,
  keys: readonly string[],
  event: Event,
  min = 1,
  max = 1,
  ordered = false,
): World {
  const counts = new Map(world.counts);
  for (const key of keys) {
    const before = counts.get(key);
    counts.set(key, {
      min: Math.min(MAX_COUNT, (before?.min ?? 0) + min),
      max: Math.min(MAX_COUNT, (before?.max ?? 0) + max),
      sure: Math.min(MAX_COUNT, (before?.sure ?? 0) + min),
      first: before?.first ?? event,
      second: before ? (before.second ?? event) : max > 1 ? event : undefined,
      deciders: before?.deciders ?? [],
    });
  }
  return { ...world, counts, order: ordered ? [...world.order, event] : world.order };
}

/** Add what a callee did. */
export function addCount(world: World, key: string, added: Count): World {
  const counts = new Map(world.counts);
  const before = counts.get(key);
  counts.set(key, {
    min: Math.min(MAX_COUNT, (before?.min ?? 0) + added.min),
    max: Math.min(MAX_COUNT, (before?.max ?? 0) + added.max),
    sure: Math.min(MAX_COUNT, (before?.sure ?? 0) + added.sure),
    first: before?.first ?? added.first,
    second: before ? (before.second ?? added.first) : added.second,
    deciders: unite(before?.deciders ?? [], added.deciders),
  });
  return { ...world, counts };
}

/** Join paths. `deciders` is what decided between the sides; early exits bring their own. */
function merge(a: World, b: World, deciders: readonly Decider[]): World {
  const between = unite(unite(deciders, a.guards), b.guards);
  return {
    assume: a.assume,
    counts: mergeCounts(a.counts, b.counts, between),
    order: mergeOrder(a.order, b.order),
    awaited: a.awaited === b.awaited ? a.awaited : 'may',
    guards: unite(a.guards, b.guards),
    apart: a.apart,
  };
}

function mergeCounts(
  a: ReadonlyMap<string, Count>,
  b: ReadonlyMap<string, Count>,
  between: readonly Decider[],
): ReadonlyMap<string, Count> {
  if (a === b) return a;
  const counts = new Map<string, Count>();
  for (const [key, x] of a) {
    const y = b.get(key);
    counts.set(
      key,
      y ? mergeCount(x, y, between) : { ...x, min: 0, sure: 0, deciders: unite(x.deciders, between) },
    );
  }
  for (const [key, y] of b) {
    if (!a.has(key)) counts.set(key, { ...y, min: 0, sure: 0, deciders: unite(y.deciders, between) });
  }
  return counts;
}

function mergeCount(x: Count, y: Count, between: readonly Decider[]): Count {
  if (x === y) return x;
  const same = x.min === y.min && x.max === y.max && x.sure === y.sure;
  return {
    min: Math.min(x.min, y.min),
    max: Math.max(x.max, y.max),
    sure: Math.min(x.sure, y.sure),
    first: x.first,
    second: x.second ?? y.second,
    deciders: unite(unite(x.deciders, y.deciders), same ? [] : between),
  };
}

function mergeOrder(a: readonly Event[], b: readonly Event[]): readonly Event[] {
  if (a === b || b.length === 0) return a;
  if (a.length === 0) return b;
  // Orders only grow: one that ends where the other passes is its beginning.
  if (a[b.length - 1] === b[b.length - 1]) return a;
  if (b[a.length - 1] === a[a.length - 1]) return b;
  const seen = new Set(a.map((event) => event.site));
  const rest = b.filter((event) => !seen.has(event.site));
  return rest.length === 0 ? a : [...a, ...rest];
}

function unite(a: readonly Decider[], b: readonly Decider[]): readonly Decider[] {
  if (b.length === 0 || a === b) return a;
  if (a.length === 0) return b;
  const united = [...a];
  for (const decider of b) {
    if (
      united.length >= MAX_DECIDERS &&
      united.some((known) => known.steadiness.level === decider.steadiness.level)
    )
      continue;
    if (!united.some((known) => known.module === decider.module && known.range.start === decider.range.start))
      united.push(decider);
  }
  return united;
}

/** Paths beside these may exist, on which only `counts` happened: they make nothing certain, and nothing missing. */
export function doubt(worlds: readonly World[], beside: World | undefined): World[] {
  if (!beside) return [...worlds];
  return worlds.map((world) => {
    const counts = new Map(world.counts);
    for (const [key, count] of counts) {
      const sure = Math.min(count.sure, beside.counts.get(key)?.sure ?? 0);
      if (sure < count.sure) counts.set(key, { ...count, sure });
    }
    return { ...world, counts };
  });
}

/** Merge worlds that assume the same; beyond the bound, forget one assumption after another (W1). */
export function settleWorlds(worlds: readonly World[], deciders: readonly Decider[]): World[] {
  if (worlds.length <= 1) return [...worlds];
  const merged = mergeAlike(worlds, deciders, (world) =>
    world.apart ? `${assumedIn(world)}\n${declaredIn(world)}` : assumedIn(world),
  );
  if (merged.length <= MAX_WORLDS) return merged;
  const fewer = mergeAlike(merged, deciders, assumedIn);
  return fewer.length > MAX_WORLDS ? settleWorlds(withoutOneAssumption(fewer), deciders) : fewer;
}

function mergeAlike(
  worlds: readonly World[],
  deciders: readonly Decider[],
  keyOf: (world: World) => string,
): World[] {
  const byKey = new Map<string, World>();
  for (const world of worlds) {
    const key = keyOf(world);
    const known = byKey.get(key);
    byKey.set(key, known ? merge(known, world, deciders) : world);
  }
  return [...byKey.values()];
}

function assumedIn({ assume }: World): string {
  return [...assume].map(([name, truth]) => `${truth ? '+' : '-'}${name}`).join('\n');
}

/** What the paths of a world have declared under a name, some of them or all. */
function declaredIn({ counts }: World): string {
  const names: string[] = [];
  for (const [key, { first, min, sure, max }] of counts) {
    if (first.kind === 'hook' && key !== first.site && max > 0)
      names.push(min > 0 && sure > 0 ? key : `?${key}`);
  }
  return names.sort().join('\n');
}

/** The worlds without the assumption that sets most of them apart. */
function withoutOneAssumption(worlds: readonly World[]): World[] {
  const times = new Map<string, number>();
  for (const name of worlds.flatMap(({ assume }) => [...assume.keys()]))
    times.set(name, (times.get(name) ?? 0) + 1);
  const [most] = [...times].reduce((a, b) => (b[1] > a[1] ? b : a));
  return worlds.map((world) => {
    if (!world.assume.has(most)) return world;
    return { ...world, assume: new Map([...world.assume].filter(([name]) => name !== most)) };
  });
}

export function collapse(worlds: readonly World[], deciders: readonly Decider[]): World | undefined {
  const [first, ...rest] = worlds;
  if (!first) return undefined;
  const joined = rest.reduce((all, world) => merge(all, world, deciders), first);
  return joined.assume.size === 0 ? joined : { ...joined, assume: new Map() };
}

export function steadinessOf(count: Count): Steadiness {
  return combine([
    { level: 'fixed', unwritten: false, params: [] },
    ...count.deciders.map((decider) => decider.steadiness),
  ]);
}
