import type { Module } from '../program.ts';
import { projectImports } from './memory.ts';
import type { Part, PartMemory, Project } from './project.ts';

/**
 * What earlier runs found in parts of projects, kept by all that it rests on. What it gives is what computing it again
 * gives (CACHE-04).
 */
export interface ResultMemory {
  /** short, and different for different contents */
  digest(content: string): string;
  recall(key: string): string | undefined;
  keep(key: string, result: string): void;
}

type Resting = Pick<Project, 'graph' | 'incoming' | 'settings' | 'specifiers' | 'resolveModelInfo'>;

/**
 * Results of a part rest on its modules, on all that these import, on what importers say of any of them, and on what is
 * known of the models that are named there.
 */
export function createPartMemory(project: Resting, memory: ResultMemory): PartMemory {
  const { graph, incoming, settings, specifiers, resolveModelInfo } = project;
  const digests = new Map<Module, string>();
  const keys = new Map<Part, string>();
  const named = new Map<Module, string[]>();
  for (const { by, specifier } of specifiers) named.set(by, [...(named.get(by) ?? []), specifier]);

  function digestOf(module: Module): string {
    const known = digests.get(module);
    if (known) return known;
    const { path, text, resolutions } = module;
    const digest = memory.digest(JSON.stringify([path, text, resolutions, incoming.get(module)]));
    digests.set(module, digest);
    return digest;
  }

  function keyOf(part: Part): string {
    const known = keys.get(part);
    if (known) return known;
    const reached = new Set(part.modules);
    // A set hands out what is added while it is walked.
    for (const module of reached) {
      for (const path of projectImports(module)) {
        const imported = graph.modules.get(path);
        if (imported) reached.add(imported);
      }
    }
    const models = part.modules.flatMap((module) =>
      (named.get(module) ?? []).map((specifier) => [specifier, resolveModelInfo?.(specifier)]),
    );
    const rest = [part.modules.length, settings, models];
    const key = memory.digest([...reached].map(digestOf).join() + JSON.stringify(rest));
    keys.set(part, key);
    return key;
  }

  return {
    recall(part, what) {
      const kept = memory.recall(`${keyOf(part)} ${what}`);
      return kept === undefined ? undefined : JSON.parse(kept);
    },
    keep(part, what, result) {
      const text = asJson(result);
      if (text !== undefined) memory.keep(`${keyOf(part)} ${what}`, text);
    },
  };
}

/** `undefined` for what holds a number that JSON cannot write. */
function asJson(result: unknown): string | undefined {
  let isWhole = true;
  const text = JSON.stringify(result, (_, value) => {
    if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) isWhole = false;
    return value;
  });
  return isWhole ? text : undefined;
}
