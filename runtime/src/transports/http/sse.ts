import { type Cursor, readUpdates } from '../../app/reader.ts';
import { liveReadersOf } from '../../app/reader-live.ts';
import { streamCheckpoint } from '../../app/reader-stream.ts';
import { openWaiter } from '../../app/reader-wait.ts';
import { logFailure } from './envelope.ts';
import { BASE_HEADERS } from './headers.ts';
import type { AgentRequest } from './request.ts';
import { closingFrame, HEARTBEAT, OPENING, updateFrame } from './sse-frames.ts';
import { openSchedule } from './sse-schedule.ts';

/** `GET /:id?view=updates&live=sse`. The cursor was opened before, so nothing that follows can be a 4xx (STRM-04). */
export function eventStream(request: AgentRequest, cursor: Cursor): Response {
  return new Response(eventBody(request, cursor), {
    headers: {
      ...BASE_HEADERS,
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
      'Stream-Incarnation': cursor.stream.incarnation,
    },
  });
}

/*
 * One event stream. The body is pulled: `produce` makes one frame when the reader has room for it, and the log is the
 * buffer (LIVE-02).
 *
 * I1  A frame is enqueued whole, data before the control event that covers it (SSE-02), so no failure cuts one (SSE-05).
 * I2  One waiter, one timer, one place among the live readers and one ear for lines of log per connection, whatever it
 *     carries; `release` gives them all back at once (SSE-06).
 * I3  A planned end comes after everything that was durable before it (SSE-04).
 */
function eventBody(request: AgentRequest, cursor: Cursor): ReadableStream<Uint8Array> {
  const { runtime, raw, path } = request;
  const { http } = runtime.settings;
  const limits = { pageBatches: http.pageBatches, pageBytes: Math.min(http.pageBytes, http.sseBufferBytes) };
  let output: ReadableStreamDefaultController<Uint8Array>;
  let opened = false;
  /** the last control event said that the reader is at the head */
  let current = false;
  let released = false;
  let ending: 'shutdown' | 'lifetime' | undefined;

  const end = (reason: 'shutdown' | 'lifetime') => {
    ending ??= reason;
    waiter.wake();
  };
  const place = liveReadersOf(runtime).enter(path, () => end('shutdown'));
  const waiter = openWaiter(runtime, path);
  const lines = runtime.lines.listen(path);
  lines.onLine(waiter.wake);
  const schedule = openSchedule(runtime.clock, http, {
    heartbeat: () => void (hasRoom() && enqueue(HEARTBEAT)),
    control: waiter.wake,
    lifetime: () => end('lifetime'),
    stalled: () => {
      const stall = new Error('stalled: the reader took no bytes');
      logFailure(stall, { request: raw, runtime, identity: request.identity });
      fail(stall);
    },
  });

  function release(): void {
    released = true;
    raw.signal.removeEventListener('abort', leave);
    schedule.close();
    waiter.close();
    lines.close();
    place.leave();
  }

  function fail(reason: unknown): void {
    if (released) return;
    release();
    output.error(reason);
  }

  /** The reader is gone. Nobody reads the body any more, and a server would print an error of it. */
  function leave(): void {
    if (released) return;
    release();
    output.close();
  }

  function hasRoom(): boolean {
    return (output.desiredSize ?? 0) > 0;
  }

  function enqueue(frame: Uint8Array): void {
    output.enqueue(frame);
    if (!hasRoom()) schedule.blocked();
  }

  /** One frame: at once for the first, else as soon as there is news, a control event is due, or an end is planned. */
  async function produce(): Promise<void> {
    while (!released) {
      const before = cursor.state.after;
      const page = await readUpdates(runtime.store, cursor, limits);
      if (released) return;
      const items = lines.merge(page.chunks, cursor.state.after);
      const caughtUp = page.upToDate && !current;
      if (!opened || cursor.state.after > before || items.length > 0 || caughtUp || schedule.controlDue) {
        const first = opened ? [] : [streamCheckpoint(cursor.stream)];
        enqueue(updateFrame([...first, ...items], page, opened ? '' : OPENING));
        opened = true;
        current = page.upToDate;
        schedule.controlSent();
        return;
      }
      if (ending) {
        release();
        output.enqueue(closingFrame(page.nextOffset, ending));
        output.close();
        return;
      }
      await waiter.changed();
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        output = controller;
        raw.signal.addEventListener('abort', leave, { once: true });
      },
      async pull() {
        schedule.flowing();
        try {
          await produce();
        } catch (error) {
          logFailure(error, { request: raw, runtime, identity: request.identity });
          fail(error);
        }
      },
      cancel: release,
    },
    { highWaterMark: http.sseBufferBytes, size: (frame) => frame?.byteLength ?? 0 },
  );
}
