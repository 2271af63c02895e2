import type { LiveChunk } from '../../../conversation/projections/chunk.ts';
import type { Answer } from './client.ts';
import { FlueStreamError } from './errors.ts';

export interface EventsRequest {
  readonly submissionId: string;
  /** reading begins after it */
  readonly offset: string;
  readonly signal: AbortSignal | undefined;
  readonly onEvent: (chunk: LiveChunk) => unknown;
}

/** What a page holds and nobody is told of: its own head, and the progress of a call's arguments (CHNK-09). */
const UNTOLD = new Set(['stream-checkpoint', 'tool-input-started', 'tool-input-delta']);

/**
 * Hands every recorded chunk on, once and in order, and lines of log as they come, until the submission is settled. Whole pages are read and the next
 * one starts where the last one ended, so a broken connection repeats nothing (HND-09).
 */
export async function tellEvents(
  read: (query: string, signal: AbortSignal | undefined) => Promise<Answer>,
  { submissionId, offset: from, signal, onEvent }: EventsRequest,
): Promise<void> {
  let offset = from;
  for (;;) {
    const query = `?view=updates&live=long-poll&offset=${encodeURIComponent(offset)}`;
    const { body, headers } = await read(query, signal);
    const next = headers.get('stream-next-offset');
    if (!Array.isArray(body) || next === null) throw new FlueStreamError('PROTOCOL', body);
    for (const chunk of body as LiveChunk[]) {
      if (UNTOLD.has(chunk.type)) continue;
      await callSafely(onEvent, chunk);
      signal?.throwIfAborted();
      if (settles(chunk, submissionId)) return;
    }
    offset = next;
  }
}

/** A settlement may be visible in a reset only (CHNK-08). */
function settles(chunk: LiveChunk, submissionId: string): boolean {
  if (chunk.type === 'submission-settled') return chunk.submissionId === submissionId;
  if (chunk.type !== 'conversation-reset') return false;
  return chunk.snapshot.settlements.some((settlement) => settlement.submissionId === submissionId);
}

async function callSafely(onEvent: (chunk: LiveChunk) => unknown, chunk: LiveChunk): Promise<void> {
  try {
    await onEvent(chunk);
  } catch (error) {
    console.error('[flue] onEvent failed; the read goes on.', error);
  }
}
