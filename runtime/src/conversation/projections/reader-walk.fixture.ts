import { formatOffset } from '../../ports/offset.ts';
import type { Chunk } from './chunk.ts';
import type { DecodedBatch } from './decoded-batch.ts';
import { completes, followsGap, missingFor, projectBatch } from './project-batch.ts';
import { type ReaderState, readerAt } from './reader-state.ts';
import { rebuildResponse } from './response.ts';
import { applyChunk, emptyTranscript, snapshotAt, type Transcript } from './transcript.ts';

/** A reader over batches in memory: looks up what `missingFor` names, as a real one does in its store. */

export const stream = { conversationId: 'conv_X', incarnation: 'inc_X' };

/** What a reader at `after` is sent, batch by batch; `batches` is what is stored when it reads. */
export function readFrom(batches: readonly DecodedBatch[], after: number): Map<number, Chunk[]> {
  const state = readerAt(stream, after);
  const sent = new Map<number, Chunk[]>();
  batches.forEach((next, place) => {
    if (next.batch <= after) return;
    sent.set(next.batch, projectNext(state, next, batches, place));
  });
  return sent;
}

function projectNext(
  state: ReaderState,
  next: DecodedBatch,
  batches: readonly DecodedBatch[],
  place: number,
): Chunk[] {
  const missing = missingFor(state, next);
  for (const submissionId of missing.accepted)
    state.accepted.set(submissionId, acceptedAt(batches, submissionId));
  const opened = followsGap(state, next) ? batches.slice(place).map(completes).find(Boolean) : undefined;
  const host = missing.host ?? opened?.submissionId;
  if (host !== undefined && host !== state.response?.host) standAt(state, batches, host);
  return projectBatch(state, next, opened && { host: opened.submissionId, turn: opened.turn });
}

function standAt(state: ReaderState, batches: readonly DecodedBatch[], host: string): void {
  const opens = (batch: DecodedBatch) =>
    batch.records.some((record) => record?.type === 'submission_moved' && record.submissionId === host);
  const from = batches.findIndex(opens);
  const first = batches[from]?.batch ?? state.after + 1;
  if (first > state.after) return;
  const { slice, gap } = rebuildResponse(host, batches.slice(from), { from: first, upTo: state.after });
  state.response = slice;
  state.gap ||= gap;
}

function acceptedAt(batches: readonly DecodedBatch[], submissionId: string): string {
  for (const { records } of batches) {
    for (const record of records) {
      if (record?.type === 'user_message' && record.submissionId === submissionId)
        return record.acceptedAt ?? '';
    }
  }
  throw new Error(`${submissionId} was never admitted`);
}

export function snapshotOf(batches: readonly DecodedBatch[]) {
  return snapshotAt(transcriptOf(batches), formatOffset(batches.at(-1)?.batch ?? 0));
}

export function transcriptOf(
  batches: readonly DecodedBatch[],
  into: Transcript = emptyTranscript(stream),
  after = 0,
) {
  for (const chunk of [...readFrom(batches, after).values()].flat()) applyChunk(into, chunk);
  return into;
}
