import { hash } from 'node:crypto';
import type { ResourceEntry, Resources } from '../ports/model-shapes.ts';

/** One thing that the model can use, as its catalog line shows it. */
export interface CatalogEntry {
  readonly name: string;
  readonly description: string;
  /** changes with what counts as an update (NARR-13) */
  readonly digest: string;
}

/** What one render offers. */
export interface Catalog {
  /** the instruction document, absent without one */
  readonly instructions: string | undefined;
  readonly skills: readonly CatalogEntry[];
  readonly tools: readonly CatalogEntry[];
  readonly subagents: readonly CatalogEntry[];
}

/** A framework signal that tells the model of a change. */
export interface Narration {
  readonly signalType: 'instructions' | 'resources' | 'environment';
  readonly body: string;
  readonly attributes?: Record<string, string>;
}

export function digest(text: string): string {
  return `sha256:${hash('sha256', text)}`;
}

export function catalogLine({ name, description }: Pick<CatalogEntry, 'name' | 'description'>): string {
  return `- **${name}** — ${description}`;
}

export function snapshotOf(catalog: Catalog, environment: Resources['environment']): Resources {
  return {
    instructions: catalog.instructions === undefined ? '' : digest(catalog.instructions),
    tools: entriesOf(catalog.tools),
    skills: entriesOf(catalog.skills),
    subagents: entriesOf(catalog.subagents),
    environment,
  };
}

function entriesOf(catalog: readonly CatalogEntry[]): ResourceEntry[] {
  return catalog.map(({ name, digest }): ResourceEntry => [name, digest]);
}

/**
 * What changed between the set that the transcript last told the model and the set of this render, by name and in
 * NARR-07's order; nothing when they agree (NARR-06).
 */
export function narrate(told: Resources, now: Resources, catalog: Catalog): Narration[] {
  const signals: Narration[] = [];
  if (differs(told.instructions, now.instructions)) {
    signals.push({ signalType: 'instructions', body: 'System instructions updated.' });
  }
  if (told.environment.attached !== now.environment.attached || isLost(told.environment, now.environment)) {
    return [...signals, { signalType: 'environment', body: environmentLines(now.environment.cwd, catalog) }];
  }
  for (const kind of KINDS) {
    const roster = catalog[kind.of];
    const found = changes(told[kind.of], roster);
    if (!found) continue;
    const attributes = { resource: kind.resource };
    signals.push({ signalType: 'resources', attributes, body: changeLines(kind, found, roster) });
  }
  return signals;
}

/** The files that the model was told of are gone (VIRT-02). */
function isLost(told: Resources['environment'], now: Resources['environment']): boolean {
  return told.generation !== undefined && told.generation !== now.generation;
}

/** Everything anew, since nothing of the former place can be relied on (NARR-20, NARR-21). */
function environmentLines(cwd: string, { tools, skills, subagents }: Catalog): string {
  const lines = (entries: readonly CatalogEntry[]) =>
    entries.length > 0 ? entries.map(catalogLine) : ['(none)'];
  return [
    'The environment of this conversation has changed.',
    `Working directory: ${cwd}`,
    'Files and results of the previous environment may no longer be accessible.',
    `All available tools: ${tools.map((tool) => tool.name).join(', ') || '(none)'}`,
    'All available skills:',
    ...lines(skills),
    'All available agents:',
    ...lines(subagents),
  ].join('\n');
}

interface Kind {
  readonly of: 'skills' | 'tools' | 'subagents';
  readonly resource: 'skill' | 'tool' | 'subagent';
  /** what the lines call it */
  readonly noun: string;
  /** whether an update shows the new catalog line; a tool's reaches the model with the request (NARR-13) */
  readonly showsUpdate: boolean;
}

/** NARR-07: in this order. */
const KINDS: readonly Kind[] = [
  { of: 'skills', resource: 'skill', noun: 'skill', showsUpdate: true },
  { of: 'tools', resource: 'tool', noun: 'tool', showsUpdate: false },
  { of: 'subagents', resource: 'subagent', noun: 'agent', showsUpdate: true },
];

interface Changes {
  readonly added: readonly CatalogEntry[];
  readonly removed: readonly string[];
  readonly updated: readonly CatalogEntry[];
}

function changes(told: readonly ResourceEntry[], now: readonly CatalogEntry[]): Changes | undefined {
  const before = new Map(told);
  const names = new Set(now.map((entry) => entry.name));
  const found: Changes = {
    added: now.filter((entry) => !before.has(entry.name)),
    removed: told.map(([name]) => name).filter((name) => !names.has(name)),
    updated: now.filter((entry) => differs(before.get(entry.name) ?? entry.digest, entry.digest)),
  };
  return found.added.length + found.removed.length + found.updated.length > 0 ? found : undefined;
}

/** NARR-11, NARR-12: added, removed, updated, and always the whole roster last. */
function changeLines(
  { noun, showsUpdate }: Kind,
  { added, removed, updated }: Changes,
  roster: readonly CatalogEntry[],
): string {
  const update = (entry: CatalogEntry) =>
    showsUpdate
      ? [`The ${noun} "${entry.name}" was updated:`, catalogLine(entry)]
      : [`The ${noun} "${entry.name}" was updated.`];
  return [
    ...(added.length > 0 ? [`New ${noun}${added.length === 1 ? '' : 's'} available:`] : []),
    ...added.map(catalogLine),
    ...removed.map((name) => `The ${noun} "${name}" is no longer available.`),
    ...updated.flatMap(update),
    `All available ${noun}s: ${roster.map((entry) => entry.name).join(', ') || '(none)'}`,
  ].join('\n');
}

/** Digests of different algorithms compare as equal, so that a release that changes them narrates nothing (RCD-17). */
function differs(a: string, b: string): boolean {
  if (a === '' || b === '') return a !== b;
  return algorithm(a) === algorithm(b) && a !== b;
}

function algorithm(digest: string): string {
  return digest.slice(0, digest.indexOf(':'));
}
