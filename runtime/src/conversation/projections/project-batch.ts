import { formatOffset } from '../../ports/offset.ts';
import { type AssistantMessage, type ConversationRecord, type RootOpened, turnId } from '../records/index.ts';
import type { Chunk, ChunkBody } from './chunk.ts';
import type { DecodedBatch } from './decoded-batch.ts';
import { projectRecord, started } from './project-record.ts';
import { isCompactionRequest, type ReaderState, responseOf } from './reader-state.ts';
import { applyChunk, emptyTranscript, snapshotAt } from './transcript.ts';

/*
 * Batches -> chunks (records section 6). Who owns what: the store owns batches, a reader owns one `ReaderState`, and
 * this file advances it batch by batch without any I/O; what a position cannot know by itself, `missingFor` names.
 *
 * I1  The chunks of a batch are a function of the batch and the response slice (RCD-80), except behind a gap.
 * I2  Offsets are dense and only drafts are ever reclaimed, so a missing offset was a draft of the message that the next
 *     root `assistant_message` completes; that message is then sent whole (RCD-82, STRM-05).
 * I3  A message stands where it first appeared. When its first drafts are gone and something else comes before its
 *     completion, it is started, empty, at the gap; so that replay and live reading order it alike (HIST-01).
 */

/** What the reader must look up before this batch can be projected from where it stands. */
export interface Missing {
  /** host whose slice at `state.after` is unknown */
  readonly host?: string;
  /** submissions whose `acceptedAt` is unknown */
  readonly accepted: readonly string[];
}

export function missingFor(state: ReaderState, { records }: DecodedBatch): Missing {
  const admitted = new Set<string>();
  const accepted: string[] = [];
  let host: string | undefined;
  for (const record of records) {
    if (!record || record.conv !== undefined) continue;
    if (isAdmission(record)) admitted.add(record.submissionId);
    if (record.type === 'submission_moved' && !isCompactionRequest(record.submissionId)) {
      const known = admitted.has(record.submissionId) || state.accepted.has(record.submissionId);
      if (!known) accepted.push(record.submissionId);
    }
    host ??= hostOf(record);
  }
  return { ...(host !== undefined && host !== state.response?.host && { host }), accepted };
}

/** A message whose first drafts are gone: the one that the next root `assistant_message` completes (I2, I3). */
export interface Reclaimed {
  readonly host: string;
  readonly turn: number;
}

/**
 * Advances `state` over `batch` and returns what its reader sees of it. `reclaimed` must be given when the batch does
 * not directly follow the last one (`followsGap`).
 */
export function projectBatch(state: ReaderState, batch: DecodedBatch, reclaimed?: Reclaimed): Chunk[] {
  if (followsGap(state, batch)) state.gap = true;
  state.after = batch.batch;
  const bodies = [
    ...(reclaimed && !completes(batch) ? startReclaimed(state, reclaimed) : []),
    ...batch.records.flatMap((record, index) =>
      record ? projectRecord(state, record, batch.batch, index) : [],
    ),
  ];
  const shown = isBirth(batch) ? [resetOver(state, batch, bodies)] : bodies;
  return shown.map((body, index) => stampChunk(state, body, { batch: batch.batch, index }));
}

export function followsGap(state: ReaderState, batch: DecodedBatch): boolean {
  return batch.batch !== state.after + 1;
}

/** The root message that completes in this batch, if one does. */
export function completes(batch: DecodedBatch): AssistantMessage | undefined {
  return batch.records.find(
    (record): record is AssistantMessage => record?.type === 'assistant_message' && record.conv === undefined,
  );
}

function stampChunk(state: ReaderState, body: ChunkBody, position: Chunk['position']): Chunk {
  const { type, ...fields } = body;
  return { type, conversationId: state.stream.conversationId, position, ...fields } as Chunk;
}

/** The first batch of a stream is told as one reset that covers it (CHNK-04). */
function resetOver(
  state: ReaderState,
  { batch, records }: DecodedBatch,
  bodies: readonly ChunkBody[],
): ChunkBody {
  const transcript = emptyTranscript(state.stream);
  transcript.uid = (records[0] as RootOpened).uid;
  for (const body of bodies) applyChunk(transcript, body);
  return { type: 'conversation-reset', snapshot: snapshotAt(transcript, formatOffset(batch)) };
}

function isBirth({ records }: DecodedBatch): boolean {
  return records[0]?.type === 'conversation_opened' && records[0].kind === 'root';
}

function startReclaimed(state: ReaderState, { host, turn }: Reclaimed): ChunkBody[] {
  const slice = responseOf(state, host);
  if (slice.shown) return [];
  const chunk = started(slice, turn);
  slice.shown = { turnId: turnId(turn, slice) };
  return [chunk];
}

function isAdmission(record: ConversationRecord): record is ConversationRecord & { submissionId: string } {
  return (record.type === 'user_message' || record.type === 'signal') && record.acceptedAt !== undefined;
}

/** The host that a root record speaks of, for the records whose chunks depend on its slice. */
function hostOf(record: ConversationRecord): string | undefined {
  switch (record.type) {
    case 'assistant_delta':
    case 'assistant_message':
    case 'call_settled':
    case 'metadata_merged':
    case 'data_written':
      return record.submissionId;
    case 'submission_moved':
      return record.to === 'running' ? record.submissionId : undefined;
    default:
      return undefined;
  }
}
