/**
 * What files say by themselves, kept by content (CACHE-01, CACHE-02), and what was found in parts of projects, kept by all
 * that it rests on (CACHE-03). Each full run adds one file, a pack: what is new of both, and the keys of all that it used.
 *
 * S1  An entry is trusted when the checksum of its key's pack and its own hold; nothing else is asked of it.
 * S2  A pack is never changed. Processes that share the folder lose at most an entry to each other, which costs time.
 * S3  What a run learns waits in a file, not in memory (PERF-08); the pack is written from there.
 * S4  Facts that one of the last runs used are carried over before the pack that holds them goes (CACHE-07).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResultMemory } from '../analysis/compose/part-memory.ts';
import type { FactMemory, FileFacts } from '../analysis/file-facts.ts';
import type { Module } from '../analysis/program.ts';
import { cacheFiles, removeCacheFile, writeCacheFile } from './cache-folder.ts';
import { checksum, framed, unframed } from './framed.ts';
import { openSpill, type Spill } from './spill.ts';

/** Full runs whose facts are kept. */
const RUNS = 5;
/** Of the 64 MiB that the folder may take (CACHE-07); records of whole checks take the rest. */
const BYTES_PER_THOUSAND_AGENTS = 56 * 1024 * 1024;
/** What a file says is a few kilobytes; what says far more is data. */
const MAX_ENTRY = 1024 * 1024;
const PACK = /^(\d{8})-[\w-]+\.facts$/;
/** A number that JSON cannot write: facts that may hold one are not kept. */
const BEYOND_JSON = /\d[eE]\+?[\d_]{3}|[\da-fA-F_]{250}/;

export interface FactStore extends FactMemory, ResultMemory {
  /** writes what this run found and removes what nobody used for long; never throws (CACHE-05). What comes later is lost */
  save(): void;
}

interface Pack {
  readonly name: string;
  readonly run: number;
  /** keys of everything that its run used */
  readonly used: readonly string[];
  readonly entries: ReadonlyMap<string, Entry>;
  readonly bytes: number;
}

interface Entry {
  readonly sum: string;
  readonly body: Buffer;
}

/** Learned by this run, in the order of the spill. */
interface Fresh {
  readonly key: string;
  readonly sum: string;
  readonly length: number;
}

/** `folder` may hold anything; `engine` tells facts of other compilers apart. */
export function openFactStore(folder: string, engine: string): FactStore {
  const present = cacheFiles(folder);
  const packs = present.flatMap((name) => readPack(folder, name) ?? []);
  const spill = openSpill(join(folder, `learned-${process.pid}-${++spills}.tmp`));
  const fresh: Fresh[] = [];
  const learned = new Set<string>();
  const used = new Set<string>();
  let agents = 0;
  let isSaved = false;
  const keyOf = (path: string, text: string) => checksum(`${engine}\0${path}\0${text}`);

  function bodyOf(key: string): string | undefined {
    for (let i = packs.length - 1; i >= 0; i--) {
      const entry = packs[i]!.entries.get(key);
      if (entry === undefined || checksum(entry.body) !== entry.sum) continue;
      used.add(key);
      return entry.body.toString('utf8');
    }
    return undefined;
  }

  function learn(key: string, text: string): void {
    const body = Buffer.from(text);
    if (isSaved || learned.has(key) || body.length > MAX_ENTRY || !spill.add(body)) return;
    learned.add(key);
    fresh.push({ key, sum: checksum(body), length: body.length });
    used.add(key);
  }

  const resultKey = (key: string) => checksum(`${engine}\0result ${key}`);
  return {
    digest: checksum,
    recall(key) {
      return bodyOf(resultKey(key));
    },
    keep(key, result) {
      learn(resultKey(key), result);
    },
    recallFacts(path, text) {
      const body = bodyOf(keyOf(path, text));
      const facts: FileFacts | undefined = body === undefined ? undefined : JSON.parse(body);
      if (facts?.marked) agents++;
      return facts;
    },
    keepFacts(path, text, module) {
      const facts = factsAlone(module);
      if (facts.marked) agents++;
      if (!BEYOND_JSON.test(text)) learn(keyOf(path, text), JSON.stringify(facts));
    },
    save() {
      isSaved = true;
      if (used.size === 0) return;
      const limit = BYTES_PER_THOUSAND_AGENTS * Math.max(1, agents / 1000);
      const { header, carried, kept } = nextPack(packs, { fresh, bytes: spill.length }, used, limit);
      const run = (packs.at(-1)?.run ?? 0) + 1;
      const name = `${String(run).padStart(8, '0')}-${checksum(header)}.facts`;
      const isWhole = fresh.reduce((sum, { length }) => sum + length, 0) === spill.length;
      const isWritten = isWhole && writeCacheFile(join(folder, name), slicesOf(header, carried, spill));
      spill.close();
      if (!isWritten) return;
      const stays = new Set([name, ...kept.map((pack) => pack.name)]);
      for (const other of present) if (!stays.has(other)) removeCacheFile(join(folder, other));
    },
  };
}

/** Spills of one process have names of their own. */
let spills = 0;

function* slicesOf(header: Buffer, carried: readonly Entry[], spill: Spill): Iterable<Uint8Array> {
  yield header;
  for (const { body } of carried) yield body;
  yield* spill.slices();
}

/** A module is its facts and more; what can be had from the text itself is not written. */
function factsAlone({
  path,
  text,
  lineStarts,
  resolutions,
  ...facts
}: FileFacts & Partial<Module>): FileFacts {
  return facts;
}

/** As many of the latest packs as the limit allows, and a new one with what is used of the others (S4). */
function nextPack(
  packs: readonly Pack[],
  { fresh, bytes: freshBytes }: { readonly fresh: readonly Fresh[]; readonly bytes: number },
  used: ReadonlySet<string>,
  limit: number,
): { readonly header: Buffer; readonly carried: readonly Entry[]; readonly kept: readonly Pack[] } {
  for (let count = Math.min(packs.length, RUNS - 1); ; count--) {
    const kept = count === 0 ? [] : packs.slice(-count);
    const going = packs.slice(0, packs.length - count);
    const wanted = new Set([...used, ...kept.flatMap((pack) => pack.used)]);
    const held = new Set([
      ...kept.flatMap((pack) => [...pack.entries.keys()]),
      ...fresh.map(({ key }) => key),
    ]);
    const carried = new Map(
      going.flatMap(({ entries }) => [...entries].filter(([key]) => wanted.has(key) && !held.has(key))),
    );
    const header = packHeader([...used], carried, fresh);
    const carriedBytes = [...carried.values()].reduce((sum, { body }) => sum + body.length, 0);
    const keptBytes = kept.reduce((sum, pack) => sum + pack.bytes, 0);
    if (header.length + carriedBytes + freshBytes + keptBytes <= limit || count === 0)
      return { header, carried: [...carried.values()], kept };
  }
}

/** Names the bodies in the order in which they follow. */
function packHeader(
  used: readonly string[],
  carried: ReadonlyMap<string, Entry>,
  fresh: readonly Fresh[],
): Buffer {
  const index = [
    ...[...carried].map(([key, { sum, body }]) => [key, sum, body.length]),
    ...fresh.map(({ key, sum, length }) => [key, sum, length]),
  ];
  return framed(JSON.stringify({ used, index }));
}

function readPack(folder: string, name: string): Pack | undefined {
  const [, run] = PACK.exec(name) ?? [];
  if (run === undefined) return undefined;
  try {
    const bytes = readFileSync(join(folder, name));
    const frame = unframed(bytes);
    if (frame === undefined) return undefined;
    const { used, index } = JSON.parse(frame.content.toString('utf8')) as {
      used: string[];
      index: [key: string, sum: string, length: number][];
    };
    const entries = new Map<string, Entry>();
    let at = 0;
    for (const [key, sum, length] of index) {
      entries.set(key, { sum, body: frame.rest.subarray(at, at + length) });
      at += length;
    }
    return { name, run: Number(run), used, entries, bytes: bytes.length };
  } catch {
    return undefined;
  }
}
