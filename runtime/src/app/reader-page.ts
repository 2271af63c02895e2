import { LIMITS } from '../contract/limits.ts';
import type { Chunk } from '../conversation/projections/chunk.ts';
import { type DecodedBatch, decodeBatch } from '../conversation/projections/decoded-batch.ts';
import {
  completes,
  followsGap,
  missingFor,
  projectBatch,
  type Reclaimed,
} from '../conversation/projections/project-batch.ts';
import type { ReaderState } from '../conversation/projections/reader-state.ts';
import { rebuildResponse } from '../conversation/projections/response.ts';
import { formatOffset } from '../ports/offset.ts';
import type { FlueStore, Offset, StoredBatch } from '../ports/store.ts';
import { batchOf } from './reader-stream.ts';

export interface PageLimits {
  readonly pageBatches: number;
  /** of stored records; one page holds at least one batch */
  readonly pageBytes: number;
}

export interface Page {
  readonly chunks: Chunk[];
  /** resume point (STRM-06) */
  readonly nextOffset: Offset;
  /** the page reached the head */
  readonly upToDate: boolean;
}

/**
 * Reads what follows the reader's position and advances it. Costs what it reads, and at most one response's records
 * for a reader that enters in its middle (UPD-05).
 */
export async function readPage(
  store: FlueStore,
  path: string,
  state: ReaderState,
  limits: PageLimits,
): Promise<Page> {
  const limit = Math.min(limits.pageBatches, LIMITS.readBatchesMax);
  const read = await store.read(path, { after: formatAfter(state.after), limit });
  const stored = withinBytes(read.batches, limits.pageBytes);
  const batches = stored.map(decodeBatch);
  const chunks: Chunk[] = [];
  for (const [place, batch] of batches.entries()) {
    const reclaimed = followsGap(state, batch)
      ? await nextCompleted(store, path, batches.slice(place))
      : undefined;
    await lookUp(store, path, state, batch, reclaimed);
    chunks.push(...projectBatch(state, batch, reclaimed));
  }
  return {
    chunks,
    nextOffset: formatAfter(state.after),
    upToDate: read.upToDate && stored.length === read.batches.length,
  };
}

function formatAfter(after: number): Offset {
  return after === 0 ? '-1' : formatOffset(after);
}

function withinBytes(batches: readonly StoredBatch[], limit: number): readonly StoredBatch[] {
  let bytes = 0;
  const end = batches.findIndex(({ records }, index) => {
    bytes += records.reduce((sum, body) => sum + Buffer.byteLength(body), 0);
    return bytes > limit && index > 0;
  });
  return end === -1 ? batches : batches.slice(0, end);
}

/**
 * The message whose drafts are gone. Drafts are only reclaimed once it is complete, so it is in the stream; mostly in
 * the same page.
 */
async function nextCompleted(
  store: FlueStore,
  path: string,
  following: readonly DecodedBatch[],
): Promise<Reclaimed | undefined> {
  let batches = following;
  for (;;) {
    for (const batch of batches) {
      const message = completes(batch);
      if (message) return { host: message.submissionId, turn: message.turn };
    }
    const last = batches.at(-1);
    if (!last) return undefined;
    const read = await store.read(path, { after: formatOffset(last.batch), class: 'durable' });
    batches = read.batches.map(decodeBatch);
  }
}

/** Finds what the position alone does not tell: when submissions were accepted, and the response under way. */
async function lookUp(
  store: FlueStore,
  path: string,
  state: ReaderState,
  batch: DecodedBatch,
  reclaimed: Reclaimed | undefined,
): Promise<void> {
  const missing = missingFor(state, batch);
  for (const submissionId of missing.accepted) {
    const row = await store.submission(submissionId);
    if (row) state.accepted.set(submissionId, row.acceptedAt);
  }
  const host = missing.host ?? reclaimed?.host;
  if (host !== undefined && host !== state.response?.host) await enterResponse(store, path, state, host);
}

async function enterResponse(
  store: FlueStore,
  path: string,
  state: ReaderState,
  host: string,
): Promise<void> {
  const row = await store.submission(host);
  const from = row?.inputOffset === undefined ? undefined : batchOf(row.inputOffset);
  if (from === undefined || from > state.after) return;
  const batches = await readRange(store, path, { from, upTo: state.after });
  const { slice, gap } = rebuildResponse(host, batches, { from, upTo: state.after });
  state.response = slice;
  state.gap ||= gap;
}

/** Reclaimed drafts leave holes in a range, so its length is no count of what to ask for; this bounds what is too much. */
const RANGE_PAGE = 32;

/** All batches of a range, both ends included. */
export async function readRange(
  store: FlueStore,
  path: string,
  range: { readonly from: number; readonly upTo: number; readonly class?: 'durable' },
): Promise<DecodedBatch[]> {
  const batches: DecodedBatch[] = [];
  let after = formatAfter(range.from - 1);
  for (;;) {
    const limit = Math.min(range.upTo - batchOf(after), RANGE_PAGE);
    if (limit <= 0) return batches;
    const read = await store.read(path, { after, limit, ...(range.class && { class: range.class }) });
    const within = read.batches.filter(({ offset }) => batchOf(offset) <= range.upTo);
    batches.push(...within.map(decodeBatch));
    if (read.upToDate || within.length < read.batches.length || read.batches.length === 0) return batches;
    after = read.nextOffset;
  }
}
