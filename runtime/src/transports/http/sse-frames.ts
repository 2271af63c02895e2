import type { Page } from '../../app/reader-page.ts';
import type { LiveChunk, StreamCheckpoint } from '../../conversation/projections/chunk.ts';
import type { Offset } from '../../ports/store.ts';

const encoder = new TextEncoder();

/** Sent once, before the first frame: how long a native `EventSource` waits before it reconnects (SSE-03). */
export const OPENING = 'retry: 1000\n\n';

export const HEARTBEAT = encoder.encode(': heartbeat\n\n');

/** The chunks of one read and the control event that covers them; the control event alone when there are none. */
export function updateFrame(
  chunks: readonly (LiveChunk | StreamCheckpoint)[],
  { nextOffset, upToDate }: Pick<Page, 'nextOffset' | 'upToDate'>,
  opening: string,
): Uint8Array {
  const data = chunks.length > 0 ? `event: data\ndata: ${JSON.stringify(chunks)}\n\n` : '';
  return encoder.encode(
    opening + data + control({ streamNextOffset: nextOffset, ...(upToDate && { upToDate }) }),
  );
}

/** A planned end: the reader comes back after a time that spreads a restart's readers (SSE-04, LIVE-06). */
export function closingFrame(nextOffset: Offset, reason: 'shutdown' | 'lifetime'): Uint8Array {
  const retryAfterMs = 250 + Math.floor(Math.random() * 1750);
  return encoder.encode(control({ streamNextOffset: nextOffset, closing: true, reason, retryAfterMs }));
}

/** The id lets a native `EventSource` resume (SSE-03). */
function control(event: { readonly streamNextOffset: Offset; readonly [field: string]: unknown }): string {
  return `event: control\nid: ${event.streamNextOffset}\ndata: ${JSON.stringify(event)}\n\n`;
}
