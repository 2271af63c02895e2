import { setImmediate as nextTurn } from 'node:timers/promises';
import { LIMITS } from '../../contract/limits.ts';
import { formatOffset, ORIGIN, parseOffset } from '../../ports/offset.ts';
import type { ReadOptions, ReadResult, StoredBatch } from '../../ports/store.ts';
import { ConversationStreamStoreError } from '../../ports/store-errors.ts';
import type { Connection } from './connection.ts';
import { requireOffset } from './load.ts';
import { decodeRecords, encodeText } from './text.ts';

/** What one stretch takes from the store before the event loop gets its turn (ADP-06). */
const STRETCH_BYTES = 1024 * 1024;

interface BatchColumns {
  readonly batch: number;
  readonly epoch: number;
  readonly seq: number;
  readonly draft: number;
  readonly records: string;
}

/** A request in numbers: batches strictly beyond `from`, in one direction. */
interface Span {
  readonly path: string;
  readonly backwards: boolean;
  readonly from: number;
  readonly limit: number;
  readonly drafts: boolean;
}

interface Stretch {
  readonly batches: StoredBatch[];
  readonly bytes: number;
  /** nothing remains in this direction */
  readonly exhausted: boolean;
  /** batches between `from` and the first one were reclaimed */
  readonly gap: boolean;
}

const COLUMNS = 'key & 4294967295 AS batch, epoch, seq, draft, records';

/** QRY-04, QRY-05: a page of at most `limit` batches and 8 MiB, taken in stretches. */
export function prepareRead(connection: Connection) {
  const { db } = connection;
  const findStream = db.prepare<[string], { readonly id: number; readonly head: number }>(
    'SELECT id, head FROM flue_instance WHERE path = ?',
  );
  // One bound on each side: of two lower ones the engine would seek the first and walk to the second.
  const ascending = db.prepare<[Record<string, unknown>], BatchColumns>(
    `SELECT ${COLUMNS} FROM flue_batch
     WHERE key > (@instance << 32) + @from AND key < (@instance + 1) << 32 AND draft <= @drafts
     ORDER BY key LIMIT @limit + 0`,
  );
  const descending = db.prepare<[Record<string, unknown>], BatchColumns>(
    `SELECT ${COLUMNS} FROM flue_batch
     WHERE key >= @instance << 32 AND key < (@instance << 32) + @from AND draft <= @drafts
     ORDER BY key DESC LIMIT @limit + 0`,
  );
  const countBetween = db
    .prepare<[Record<string, unknown>], number>(
      'SELECT count(*) FROM flue_batch WHERE key > (@instance << 32) + @low AND key < (@instance << 32) + @high',
    )
    .pluck();

  const takeStretch = db.transaction((span: Span, taken: number): Stretch => {
    const stream = findStream.get(encodeText(span.path));
    if (!stream) return { batches: [], bytes: 0, exhausted: true, gap: false };
    requireReached(span, stream.head);
    const batches: StoredBatch[] = [];
    let bytes = 0;
    let full = false;
    const rows = (span.backwards ? descending : ascending).iterate({
      instance: stream.id,
      from: span.from,
      drafts: span.drafts ? 1 : 0,
      limit: span.limit,
    });
    for (const row of rows) {
      const size = Buffer.byteLength(row.records);
      full =
        (bytes > 0 && bytes + size > STRETCH_BYTES) ||
        (taken + bytes > 0 && taken + bytes + size > LIMITS.readBytes);
      if (full) break;
      bytes += size;
      batches.push(decodeBatch(row));
    }
    const last = batches.at(-1);
    const atEnd = last !== undefined && batchNumber(last) === (span.backwards ? 1 : stream.head);
    const exhausted = !full && (batches.length < span.limit || atEnd);
    return { batches, bytes, exhausted, gap: hasGap(stream.id, span, batches[0]) };
  });

  return async (path: string, o: ReadOptions): Promise<ReadResult> => {
    const span = spanOf(path, o);
    const start = o.before ?? o.after ?? ORIGIN;
    if (span.backwards && span.from === 0)
      return { batches: [], nextOffset: start, upToDate: true, gap: false };
    const first = takeStretch(span, 0);
    const { batches, gap } = first;
    let { bytes, exhausted } = first;
    while (!exhausted && batches.length < span.limit) {
      await nextTurn();
      const from = batchNumber(batches.at(-1) as StoredBatch);
      const more = takeStretch({ ...span, from, limit: span.limit - batches.length }, bytes);
      if (more.batches.length === 0 && !more.exhausted) break;
      batches.push(...more.batches);
      bytes += more.bytes;
      exhausted = more.exhausted;
    }
    return { batches, nextOffset: batches.at(-1)?.offset ?? start, upToDate: exhausted, gap };
  };

  /** Offsets are dense, so a number between the two without a batch was reclaimed (STR-10). */
  function hasGap(instance: number, span: Span, first: StoredBatch | undefined): boolean {
    if (!first) return false;
    const reached = batchNumber(first);
    const [low, high] = span.backwards ? [reached, span.from] : [span.from, reached];
    const between = high - low - 1;
    return between > 0 && (countBetween.get({ instance, low, high }) as number) < between;
  }
}

function spanOf(path: string, o: ReadOptions): Span {
  if (o.after !== undefined && o.before !== undefined) {
    throw fault(path, 'invalid_offset', 'give `after` or `before`, not both.');
  }
  return {
    path,
    backwards: o.before !== undefined,
    from: requireOffset('read', path, o.before ?? o.after ?? ORIGIN),
    limit: limitOf(o.limit),
    drafts: o.class !== 'durable',
  };
}

function limitOf(limit: number = LIMITS.readBatchesDefault): number {
  const valid = Number.isInteger(limit) && limit > 0;
  return valid ? Math.min(limit, LIMITS.readBatchesMax) : LIMITS.readBatchesDefault;
}

/** `before` excludes its offset, so the one after the head is in reach: it asks for the newest batches. */
function requireReached(span: Span, head: number): void {
  if (span.from <= (span.backwards ? head + 1 : head)) return;
  throw fault(
    span.path,
    'beyond_head',
    `${formatOffset(span.from)} is beyond the head ${formatOffset(head)}.`,
  );
}

function fault(
  path: string,
  reason: 'invalid_offset' | 'beyond_head',
  dev: string,
): ConversationStreamStoreError {
  return new ConversationStreamStoreError({ operation: 'read', path, reason, dev });
}

function batchNumber(batch: StoredBatch): number {
  return parseOffset(batch.offset) as number;
}

function decodeBatch(c: BatchColumns): StoredBatch {
  return {
    offset: formatOffset(c.batch),
    epoch: c.epoch,
    seq: c.seq,
    class: c.draft === 1 ? 'draft' : 'durable',
    records: decodeRecords(c.records),
  };
}
