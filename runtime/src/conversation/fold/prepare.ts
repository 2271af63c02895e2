import { formatOffset } from '../../ports/offset.ts';
import type { BatchClass, Offset, RecordBody, StoredBatch } from '../../ports/store.ts';
import { type ConversationRecord, encodeRecord } from '../records/index.ts';
import { advance, bytesOf, decodeBatch, type FoldBatch, numberOf, requireShapes } from './fold.ts';
import { Journal } from './journal.ts';
import type { Conversation, Held } from './state.ts';

/**
 * The owner's next batch, folded before it is committed (RCD-68). Until `committed` or `discard` the state shows it as
 * if it stood right after the head, so what is read from the state in between is not yet durable.
 */
export interface Prepared {
  readonly records: readonly ConversationRecord[];
  /** the same as they are stored, serialized once (RCD-06) */
  readonly bodies: readonly RecordBody[];
  /** drafts that this commit makes redundant and is to reclaim (STR-09) */
  readonly reclaim: readonly Offset[];
  /** Takes further units into the same batch. Throws as `prepare` does; the whole batch is then discarded. */
  extend(records: readonly ConversationRecord[]): void;
  /**
   * The store took it. `admitted` are the batches that came in before it, in order; folding them late is sound because
   * they touch nothing that an owner's batch reads (RCD-44).
   */
  committed(offset: Offset, admitted?: readonly StoredBatch[]): void;
  /** The store did not take it: the state is what it was. */
  discard(): void;
}

/** Throws `ConversationRecordInvariantError` for a batch that must not be committed; the state is then what it was. */
export function prepare(
  state: Conversation,
  batch: {
    readonly class: BatchClass;
    readonly epoch: number;
    readonly records: readonly ConversationRecord[];
  },
): Prepared {
  const { tail } = state;
  if (tail.prepared) throw new Error('Another prepared batch is neither committed nor discarded.');
  const journal = new Journal();
  const number = tail.head + 1;
  const records: ConversationRecord[] = [];
  const bodies: RecordBody[] = [];
  const places: Held[] = [];

  function extend(more: readonly ConversationRecord[]): void {
    const from = records.length;
    records.push(...more);
    try {
      requireShapes(more, number, from);
      places.push(
        ...advance(state, { number, class: batch.class, epoch: batch.epoch, records }, journal, from),
      );
    } catch (error) {
      journal.undo();
      throw error;
    }
  }

  journal.set(tail, 'head', number);
  journal.set(tail, 'prepared', true);
  extend(batch.records);
  return {
    records,
    get bodies() {
      for (const record of records.slice(bodies.length)) bodies.push(encodeRecord(record));
      return bodies;
    },
    get reclaim() {
      return tail.reclaimable.map(formatOffset);
    },
    extend,
    committed(offset, admitted = []) {
      const between = admitted.map(decodeBatch);
      tail.prepared = false;
      for (const other of between) foldBetween(state, other);
      relocate(state, places, number, numberOf(offset));
      tail.head = numberOf(offset);
      tail.reclaimable = [];
      tail.batches += 1;
      tail.bytes += bytesOf(bodies);
    },
    discard: () => journal.undo(),
  };
}

function foldBetween(state: Conversation, batch: FoldBatch): void {
  advance(state, { ...batch, number: numberOf(batch.offset) }, new Journal());
  state.tail.batches += 1;
  state.tail.bytes += batch.bytes ?? 0;
}

/** Where admissions came in between, the records stand further on than was assumed. */
function relocate(state: Conversation, places: readonly Held[], assumed: number, actual: number): void {
  if (assumed === actual) return;
  for (const held of places) held.batch = actual;
  const drafts = state.open?.drafts;
  if (drafts?.at(-1) === assumed) drafts[drafts.length - 1] = actual;
}
