import type { ManifestSchemaSlot } from '@flue/runtime/internal';
import type { Part, Project } from '../analysis/compose/project.ts';
import type { Span } from '../analysis/diagnostic.ts';
import type { SchemaReader } from './schema-reader.ts';

export interface KeptSchemas extends SchemaReader {
  /** hands what was read to the memory of the project, where it has one */
  keep(): void;
}

/** What was read in one part; places are `path start end`. */
interface Known {
  readonly slots: Record<string, ManifestSchemaSlot>;
  readonly acceptsUndefined: Record<string, boolean | null>;
}

/** By what is asked of a schema, then by part: a part stays the same while nothing that its schemas rest on changes. */
const known = new Map<string, WeakMap<Part, Known>>();

/**
 * A reader that reads anew only where something changed since the last time (CACHE-02, CACHE-03). `reading` says what is
 * read of a schema, and with which libraries.
 */
export function keptSchemas(reader: SchemaReader, project: Project, reading: string): KeptSchemas {
  const what = `schemas ${reading}`;
  const memo = known.get(what) ?? new WeakMap<Part, Known>();
  known.set(what, memo);
  const partOf = new Map(project.parts.flatMap((part) => part.modules.map(({ path }) => [path, part])));
  const changed = new Set<Part>();

  function knownOf(part: Part): Known {
    const before = memo.get(part) ??
      project.partMemory?.recall<Known>(part, what) ?? { slots: {}, acceptsUndefined: {} };
    memo.set(part, before);
    return before;
  }

  function ask<K extends keyof Known>(question: K, { path, start, end }: Span, read: () => Known[K][string]) {
    const part = partOf.get(path);
    if (part === undefined) return read();
    const answers = knownOf(part)[question] as Record<string, Known[K][string]>;
    const place = `${path} ${start} ${end}`;
    if (!Object.hasOwn(answers, place)) {
      answers[place] = read();
      changed.add(part);
    }
    return answers[place]!;
  }

  return {
    slot: (span) => ask('slots', span, () => reader.slot(span)),
    acceptsUndefined: (span) => ask('acceptsUndefined', span, () => reader.acceptsUndefined(span)),
    keep() {
      for (const part of changed) project.partMemory?.keep(part, what, memo.get(part));
      changed.clear();
    },
  };
}
