import { HTTP_DEFAULTS } from '../contract/limits.ts';
import type { Chunk, ConversationSnapshot, PendingSubmission } from '../conversation/projections/chunk.ts';
import { type DecodedBatch, decodeBatch } from '../conversation/projections/decoded-batch.ts';
import { isCompactionRequest } from '../conversation/projections/reader-state.ts';
import {
  applyChunk,
  emptyTranscript,
  snapshotAt,
  type Transcript,
} from '../conversation/projections/transcript.ts';
import { type Appearance, appearances, before, windowOf } from '../conversation/projections/window.ts';
import { formatOffset, ORIGIN } from '../ports/offset.ts';
import type { FlueStore, SubmissionRow } from '../ports/store.ts';
import { openCursor, readUpdates } from './reader.ts';
import { batchOf, requireView, type Stream } from './reader-stream.ts';

/*
 * One page of history, out of the tail: costs what the page shows, however long the conversation is (CKP-07).
 *
 * W1  A page is projected from a quiet place: no response is open there, so every message that appears behind it is
 *     seen from its first record on, and stands where a reader of the whole stream has it.
 * W2  It is projected until everything that it shows has settled, or to the head.
 * W3  What is pending comes from the rows at the head: it may have been admitted before the quiet place.
 */

/** How many batches are looked at for a quiet place at a time. */
const STRIDE = 32;

/** The newest `limit` messages, or those before `place` (HIST-12). Throws `StreamNotFoundError`. */
export async function readWindow(
  store: FlueStore,
  path: string,
  { limit, place }: { readonly limit: number; readonly place?: Appearance | undefined },
): Promise<ConversationSnapshot> {
  const { stream, rows } = await requireView(store, path);
  const end = place ? Math.min(place.batch, batchOf(stream.head)) : batchOf(stream.head);
  for (let wanted = limit; ; wanted *= 2) {
    const quiet = await quietPlace(store, path, end, wanted);
    const shown = await projectFrom(store, stream, rows, { quiet, end, place });
    const enough = shown.places.filter((one) => !place || before(one, place)).length >= limit;
    if (enough || quiet === 0)
      return windowOf(shown.snapshot, shown.places, { limit, place, isWhole: quiet === 0 });
  }
}

/**
 * The nearest batch before `end` behind which no response is open and at least `wanted` messages appear; 0 for the
 * beginning.
 */
async function quietPlace(store: FlueStore, path: string, end: number, wanted: number): Promise<number> {
  let messages = 0;
  for (let above = end + 1; ; ) {
    const read = await store.read(path, { before: formatOffset(above), limit: STRIDE, class: 'durable' });
    for (const batch of read.batches.map(decodeBatch)) {
      const closed = await responsesClosedBy(store, batch);
      if (closed > 0 && messages >= wanted) return batch.batch;
      messages += closed + deliveriesIn(batch);
    }
    const last = read.batches.at(-1);
    if (!last) return 0;
    above = batchOf(last.offset);
  }
}

function deliveriesIn({ records }: DecodedBatch): number {
  return records.filter(
    (record) =>
      record && record.conv === undefined && (record.type === 'user_message' || record.type === 'signal'),
  ).length;
}

/** A queued delivery may settle alone, in the middle of a response; what hosted one was placed and joined nobody. */
async function responsesClosedBy(store: FlueStore, { records }: DecodedBatch): Promise<number> {
  for (const record of records) {
    if (record?.type !== 'submission_settled' || record.answeredBySubmissionId !== undefined) continue;
    const row = await store.submission(record.submissionId);
    if (row?.inputOffset !== undefined && row.host === undefined) return 1;
  }
  return 0;
}

interface Shown {
  readonly snapshot: ConversationSnapshot;
  /** of each message of the snapshot */
  readonly places: readonly Appearance[];
}

async function projectFrom(
  store: FlueStore,
  stream: Stream,
  rows: readonly SubmissionRow[],
  o: { readonly quiet: number; readonly end: number; readonly place: Appearance | undefined },
): Promise<Shown> {
  const head = batchOf(stream.head);
  const cursor = openCursor(stream, o.quiet === 0 ? ORIGIN : formatOffset(o.quiet));
  const transcript: Transcript = { ...emptyTranscript(stream), uid: stream.uid };
  const pending = new Map(rows.flatMap((row) => pendingOf(row)).map((one) => [one.submissionId, one]));
  const places: Appearance[] = [];
  for (;;) {
    const page = await readUpdates(store, cursor, HTTP_DEFAULTS);
    for (const chunk of page.chunks) {
      applyPending(pending, chunk, head);
      applyChunk(transcript, chunk);
    }
    places.push(...appearances(transcript.messages, page.chunks, places.length));
    const reached = cursor.state.after;
    const isDone =
      page.upToDate || (reached >= o.end && o.place !== undefined && isSettled(transcript, places, o.place));
    if (isDone) {
      transcript.pending = pending;
      const offset = formatOffset(Math.max(reached, head));
      return { snapshot: snapshotAt(transcript, offset), places };
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Whether nothing that a page before `place` shows can change any more (W2). */
function isSettled(transcript: Transcript, places: readonly Appearance[], place: Appearance): boolean {
  const settled = new Set(transcript.settlements.map(({ submissionId }) => submissionId));
  return [...transcript.messages.values()].every(
    ({ submissionId }, index) =>
      !before(places[index]!, place) ||
      submissionId === undefined ||
      isCompactionRequest(submissionId) ||
      settled.has(submissionId),
  );
}

/** A claim appends nothing, so a row that runs is shown as such once its place in the stream says so (RCD-42). */
function pendingOf({ submissionId, acceptedAt, status, inputOffset }: SubmissionRow): PendingSubmission[] {
  if (status === 'settled' || isCompactionRequest(submissionId)) return [];
  const state = status === 'running' && inputOffset === undefined ? 'queued' : status;
  return [{ submissionId, state, acceptedAt }];
}

/** Up to the head that the rows are of, chunks only tell more exactly what is there; from it on they are news. */
function applyPending(pending: Map<string, PendingSubmission>, chunk: Chunk, head: number): void {
  if (chunk.type === 'submission-settled') pending.delete(chunk.submissionId);
  if (chunk.type !== 'submission-state') return;
  const { submissionId, state, acceptedAt } = chunk;
  if (chunk.position.batch > head || pending.has(submissionId))
    pending.set(submissionId, { submissionId, state, acceptedAt });
}
