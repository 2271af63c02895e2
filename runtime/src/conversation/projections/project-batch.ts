import { formatOffset } from '../../ports/offset.ts';
import {
  type AssistantDelta,
  type AssistantMessage,
  type ConversationRecord,
  type MetadataMerged,
  type RootOpened,
  responseId,
  type SubmissionMoved,
  type SubmissionSettled,
  turnId,
} from '../records/index.ts';
import { compactionMessage, signalMessage, userMessage } from './appended-message.ts';
import type { Chunk, ChunkBody, PendingSubmission } from './chunk.ts';
import type { DecodedBatch } from './decoded-batch.ts';
import {
  draftedLength,
  foldResponse,
  openResponse,
  parseArguments,
  proseType,
  type ResponseSlice,
  showsNothing,
  toolSettled,
  wholeMessage,
} from './response.ts';
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

export interface ReaderState {
  readonly stream: { readonly conversationId: string; readonly incarnation: string };
  /** last batch that the reader was sent */
  after: number;
  /** a draft of the message under way is missing (I2) */
  gap: boolean;
  /** the response under way, once one of its records was met */
  response?: ResponseSlice;
  /** when each unsettled submission was accepted, as far as it is known */
  readonly accepted: Map<string, string>;
}

export function readerAt(stream: ReaderState['stream'], after: number): ReaderState {
  return { stream, after, gap: false, accepted: new Map() };
}

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

/** Only the root conversation is served (STRM-09). */
function projectRecord(
  state: ReaderState,
  record: ConversationRecord,
  batch: number,
  index: number,
): ChunkBody[] {
  if (record.conv !== undefined) return [];
  switch (record.type) {
    case 'user_message':
      return [{ type: 'message-appended', message: userMessage(record) }, ...queued(state, record)];
    case 'signal':
      return [
        { type: 'message-appended', message: signalMessage(record, batch, index) },
        ...queued(state, record),
      ];
    case 'compaction':
      return [{ type: 'message-appended', message: compactionMessage(record, batch, index) }];
    case 'submission_moved':
      return moved(state, record);
    case 'submission_settled':
      return settled(state, record);
    case 'assistant_delta':
      return drafted(responseOf(state, record.submissionId), record);
    case 'assistant_message':
      return state.gap ? whole(state, record) : completed(responseOf(state, record.submissionId), record);
    case 'call_settled': {
      foldResponse(responseOf(state, record.submissionId), record);
      return [toolSettled(record.submissionId, record)];
    }
    case 'metadata_merged':
      return metadata(responseOf(state, record.submissionId), record);
    case 'data_written': {
      foldResponse(responseOf(state, record.submissionId), record);
      const messageId = responseId(record.submissionId);
      return [{ type: 'data-part', messageId, name: record.name, data: record.data }];
    }
    default:
      return [];
  }
}

function queued(
  state: ReaderState,
  { submissionId, acceptedAt }: { submissionId: string; acceptedAt?: string },
): ChunkBody[] {
  if (acceptedAt === undefined) return [];
  state.accepted.set(submissionId, acceptedAt);
  return [submissionState({ submissionId, state: 'queued', acceptedAt })];
}

function moved(state: ReaderState, record: SubmissionMoved): ChunkBody[] {
  const { submissionId, to } = record;
  if (to === 'running') responseOf(state, submissionId);
  const acceptedAt = state.accepted.get(submissionId);
  if (isCompactionRequest(submissionId) || acceptedAt === undefined) return [];
  return [submissionState({ submissionId, state: to, acceptedAt })];
}

function submissionState(pending: PendingSubmission): ChunkBody {
  return { type: 'submission-state', ...pending };
}

function settled(state: ReaderState, record: SubmissionSettled): ChunkBody[] {
  const { submissionId, outcome, error, answeredBySubmissionId, ts } = record;
  state.accepted.delete(submissionId);
  if (state.response?.host === submissionId) delete state.response;
  if (isCompactionRequest(submissionId)) return [];
  return [
    {
      type: 'submission-settled',
      submissionId,
      outcome,
      ...(error && { error }),
      ...(answeredBySubmissionId !== undefined && { answeredBySubmissionId }),
      timestamp: ts,
    },
  ];
}

function drafted(slice: ResponseSlice, record: AssistantDelta): ChunkBody[] {
  const opens = slice.drafting !== record.turn;
  const start = opens ? [started(slice, record.turn)] : [];
  foldResponse(slice, record);
  const { part, at, kind, delta } = record;
  return [
    ...start,
    { type: 'message-delta', messageId: responseId(slice.host), kind: proseType(kind), delta, part, at },
  ];
}

function completed(slice: ResponseSlice, record: AssistantMessage): ChunkBody[] {
  if (showsNothing(slice, record)) return [];
  const start = slice.drafting === record.turn ? [] : [started(slice, record.turn, record.ts)];
  const content = inPlaceOrder(record).flatMap((block) => blockChunks(slice, block, record.ts));
  foldResponse(slice, record);
  return [...start, ...content, ended(slice, record)];
}

/** For a reader that missed drafts of it: every part that the message has by now (STRM-05). */
function whole(state: ReaderState, record: AssistantMessage): ChunkBody[] {
  const slice = responseOf(state, record.submissionId);
  if (showsNothing(slice, record)) return [];
  foldResponse(slice, record);
  state.gap = false;
  return [{ type: 'message-appended', message: wholeMessage(slice) }, ended(slice, record)];
}

/** The metadata merged so far rides on the chunk that first shows the message (RCD-81). */
function started(slice: ResponseSlice, turn: number, timestamp?: string): ChunkBody {
  return {
    type: 'message-started',
    messageId: responseId(slice.host),
    submissionId: slice.host,
    turnId: turnId(turn, slice),
    ...(!slice.shown && slice.metadata && { metadata: slice.metadata }),
    ...(timestamp !== undefined && { timestamp }),
  };
}

function ended(slice: ResponseSlice, { stop, ts }: AssistantMessage): ChunkBody {
  const outcome = stop === 'error' ? 'failed' : stop === 'aborted' ? 'aborted' : 'completed';
  return { type: 'message-completed', messageId: responseId(slice.host), outcome, timestamp: ts };
}

type PlacedBlock = AssistantMessage['content'][number] & { part: number };

/** A block without a place shows nothing (RCD-15). */
function inPlaceOrder({ content }: AssistantMessage): PlacedBlock[] {
  return content
    .filter((block): block is PlacedBlock => block.part !== undefined)
    .sort((a, b) => a.part - b.part);
}

function blockChunks(slice: ResponseSlice, block: PlacedBlock, timestamp: string): ChunkBody[] {
  const messageId = responseId(slice.host);
  if (block.type === 'call') {
    const { id: toolCallId, tool: toolName, args, valid: inputValid } = block;
    const input = parseArguments(args);
    return [{ type: 'tool-input', messageId, toolCallId, toolName, input, inputValid, timestamp }];
  }
  const at = draftedLength(slice, block.part);
  const delta = block.text.slice(at);
  if (delta === '') return [];
  return [{ type: 'message-delta', messageId, kind: proseType(block.type), delta, part: block.part, at }];
}

function metadata(slice: ResponseSlice, record: MetadataMerged): ChunkBody[] {
  foldResponse(slice, record);
  if (!slice.shown) return [];
  return [{ type: 'message-metadata', messageId: responseId(slice.host), metadata: record.metadata }];
}

function responseOf(state: ReaderState, host: string): ResponseSlice {
  if (state.response?.host !== host) state.response = openResponse(host);
  return state.response;
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

/** A request for a compaction is no submission on the wire: no `pending`, no chunk, no reply (RCD-45). */
export function isCompactionRequest(submissionId: string): boolean {
  return submissionId.startsWith('cmp_');
}
