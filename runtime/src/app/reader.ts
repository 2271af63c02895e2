import { HTTP_DEFAULTS } from '../contract/limits.ts';
import type { ConversationSnapshot, LiveChunk } from '../conversation/projections/chunk.ts';
import { type ReaderState, readerAt } from '../conversation/projections/reader-state.ts';
import { applyChunk, emptyTranscript, snapshotAt } from '../conversation/projections/transcript.ts';
import { ORIGIN } from '../ports/offset.ts';
import type { FlueStore, Offset, SubmissionRow } from '../ports/store.ts';
import { isPersistenceError } from '../ports/store-errors.ts';
import { RuntimeUnavailableError } from './errors.ts';
import type { LineReader, LiveLines } from './live-lines.ts';
import { type Page, type PageLimits, readPage } from './reader-page.ts';
import { batchOf, requireReached, requireStream, type Stream } from './reader-stream.ts';
import {
  describeSubmission,
  describeTold,
  requireSubmission,
  type SubmissionReading,
} from './reader-submission.ts';
import { lookUntil, type WaitPorts } from './reader-wait.ts';
import type { Admitted } from './runtime.ts';
import type { Settlements, Told } from './settlements.ts';

/*
 * Reading without owning: nothing here takes part in a conversation (OWN-04). Whoever reads, a route or a handle, gets
 * the same chunks, because both come through here.
 */

/** Where one reader stands in one stream. */
export interface Cursor {
  readonly stream: Stream;
  readonly state: ReaderState;
}

/** A reader that has seen everything up to `after`. Throws `StreamOffsetGoneError` beyond the head (STRM-04). */
export function openCursor(stream: Stream, after: Offset): Cursor {
  requireReached(stream, after);
  return { stream, state: readerAt(stream, batchOf(after)) };
}

/** What follows, up to one page, and the reader's new place. */
export function readUpdates(store: FlueStore, cursor: Cursor, limits: PageLimits): Promise<Page> {
  return readPage(store, cursor.stream.path, cursor.state, limits);
}

/** The whole transcript as of its newest batch (HIST-01). Throws `StreamNotFoundError`. */
export async function readHistory(store: FlueStore, path: string): Promise<ConversationSnapshot> {
  const stream = await requireStream(store, path);
  const cursor = openCursor(stream, ORIGIN);
  const transcript = emptyTranscript(stream);
  for (;;) {
    const page = await readUpdates(store, cursor, HTTP_DEFAULTS);
    for (const chunk of page.chunks) applyChunk(transcript, chunk);
    if (page.upToDate) return snapshotAt(transcript, page.nextOffset);
    // A long conversation must not hold the event loop for all of its length (ADP-06).
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** One submission by its id: state, settlement, reply. Throws the 404 errors of HND-14. */
export async function readSubmission(
  store: FlueStore,
  path: string,
  submissionId: string,
): Promise<SubmissionReading> {
  return describeSubmission(store, await requireSubmission(store, path, submissionId));
}

export interface FollowPorts extends WaitPorts {
  /** tells of what this process settles; without it every batch of the instance is a reason to look */
  readonly settlements?: Pick<Settlements, 'once'>;
  /** tells what the agents of this process log; without it `onEvent` gets recorded chunks alone */
  readonly lines?: LiveLines;
  /** Called while somebody waits: the work may be another process's, and no timer of a wait holds this one alive. */
  readonly keepAlive?: () => () => void;
}

export interface FollowOptions {
  /**
   * Gets every recorded chunk from the submission's admission to its settlement, once and in order, and the lines of log
   * between them. A promise that it returns is awaited before the next chunk (HND-09, RCD-14).
   */
  readonly onEvent?: ((chunk: LiveChunk) => unknown) | undefined;
  /** gets what `onEvent` throws, which never fails the read */
  readonly onEventFailed?: (error: unknown) => void;
  /** what the caller's own send was told, if that is what it follows */
  readonly admitted?: Admitted | undefined;
  /** ends the read and nothing else: it rejects with the signal's reason (HND-15) */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Resolves once the submission is settled, at once when it is already (HND-13). Rejects with `RuntimeUnavailableError`
 * when the runtime stops before that.
 */
export async function followSubmission(
  ports: FollowPorts,
  path: string,
  submissionId: string,
  options: FollowOptions = {},
): Promise<SubmissionReading> {
  const { signal, onEvent } = options;
  signal?.throwIfAborted();
  const letGo = ports.keepAlive?.();
  // From the beginning: the work may log before its submission has been looked up.
  const lines = onEvent && ports.lines?.listen(path);
  try {
    if (onEvent) {
      const row = await requireSubmission(ports.store, path, submissionId);
      await tellEvents(ports, row, { ...options, onEvent, lines });
    }
    return await settledSubmission(ports, path, submissionId, options);
  } catch (error) {
    // The runtime was stopped meanwhile. The submission lives on as the store keeps it (HND-11).
    if (isPersistenceError(error, 'closed')) throw new RuntimeUnavailableError({ state: 'draining' });
    throw error;
  } finally {
    lines?.close();
    letGo?.();
  }
}

/** What this process settles is told by its records; the store is asked where they are not all of the reply. */
function settledSubmission(
  ports: FollowPorts,
  path: string,
  submissionId: string,
  { signal, admitted, onEvent }: FollowOptions,
): Promise<SubmissionReading> {
  const { store, settlements } = ports;
  let told: Told | undefined;
  const look = async () => {
    const reading = admitted && told && describeTold(admitted, told);
    if (reading) return reading;
    const row = await requireSubmission(store, path, submissionId);
    return row.status === 'settled' ? describeSubmission(store, row, admitted?.uid) : undefined;
  };
  const announced =
    settlements &&
    ((wake: () => void) =>
      settlements.once(submissionId, (one) => {
        told = one;
        wake();
      }));
  const isFresh = admitted !== undefined && !admitted.deduplicated && !onEvent;
  return lookUntil(ports, path, look, { signal, announced, isFresh });
}

interface EventReading extends FollowOptions {
  readonly onEvent: NonNullable<FollowOptions['onEvent']>;
  readonly lines: LineReader | undefined;
}

async function tellEvents(
  ports: WaitPorts,
  { path, submissionId, admittedOffset }: SubmissionRow,
  { onEvent, onEventFailed, signal, lines }: EventReading,
): Promise<void> {
  const cursor = openCursor(await requireStream(ports.store, path), admittedOffset);
  const look = async () => {
    for (;;) {
      const page = await readUpdates(ports.store, cursor, HTTP_DEFAULTS);
      const { chunks } = page;
      for (const chunk of lines?.merge(chunks, cursor.state.after) ?? chunks) {
        await callSafely(onEvent, chunk, onEventFailed);
        signal?.throwIfAborted();
        if (chunk.type === 'submission-settled' && chunk.submissionId === submissionId) return true;
      }
      if (page.upToDate) return undefined;
    }
  };
  await lookUntil(ports, path, look, { signal, heard: lines?.onLine });
}

async function callSafely(
  onEvent: (chunk: LiveChunk) => unknown,
  chunk: LiveChunk,
  onEventFailed: FollowOptions['onEventFailed'],
): Promise<void> {
  try {
    await onEvent(chunk);
  } catch (error) {
    onEventFailed?.(error);
  }
}
