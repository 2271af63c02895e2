import { AgentRunError } from '../../app/agent-run-error.ts';
import { requireRuntime } from '../../app/current.ts';
import { checkWindow, resolveCursor } from '../../app/history-window.ts';
import { followSubmission, openCursor, readHistory, readUpdates } from '../../app/reader.ts';
import { readAttachment } from '../../app/reader-attachment.ts';
import { requireStream } from '../../app/reader-stream.ts';
import { openWaiter } from '../../app/reader-wait.ts';
import { readWindow } from '../../app/reader-window.ts';
import { rebuildError } from '../../app/rebuild-error.ts';
import { instancePath } from '../../app/runtime.ts';
import { currentUnit } from '../../engine/unit.ts';
import { misuse } from '../../errors/flue-error.ts';
import type { AgentTransport, ConversationTransport, LiveEnd, LiveRead } from './transport.ts';

/**
 * Reaches the agents of this process without HTTP, for the generated client: `connect(inProcess())` (TCLI-01). Agents
 * are found by identity in the registered set, and the runtime when a method is called. A send to an agent that is not
 * registered rejects with a plain `Error` (DSP-03).
 */
export function inProcess(): AgentTransport {
  return { conversation: openInstance };
}

function openInstance(identity: string, id: string): ConversationTransport {
  const path = instancePath(identity, id);
  return {
    async send(send) {
      const { submissionId, acceptedAt, uid, deduplicated } = await requireRuntime('send()').admit(identity, {
        kind: 'dispatch',
        id,
        ...send,
      });
      return { submissionId, acceptedAt, uid, ...(deduplicated && { deduplicated }) };
    },

    async reply(target, { onEvent, signal }) {
      const submissionId = typeof target === 'string' ? target : target.submissionId;
      const runtime = requireRuntime('read()');
      const { reply, settlement } = await followSubmission(runtime, path, submissionId, {
        onEvent,
        signal,
        onEventFailed: (error) =>
          runtime.logFailure(error, { operation: 'onEvent', submission: submissionId }),
      });
      if (reply) return reply;
      const outcome = settlement?.outcome === 'aborted' ? 'aborted' : 'failed';
      const error = settlement?.error;
      throw new AgentRunError({ outcome, submissionId, ...(error && { cause: rebuildError(error) }) });
    },

    async abort({ submissionId }) {
      return requireRuntime('abort()').abort(
        identity,
        id,
        submissionId === undefined ? {} : { submissionId },
      );
    },

    async compact({ instructions }) {
      return requireRuntime('compact()').compact(
        identity,
        id,
        instructions === undefined ? {} : { instructions },
      );
    },

    async history({ limit, before, signal }) {
      signal?.throwIfAborted();
      const { store } = requireRuntime('history()');
      const window = checkWindow(limit, before);
      if (!window) return readHistory(store, path);
      const place =
        window.before === undefined
          ? undefined
          : resolveCursor(await requireStream(store, path), window.before);
      return readWindow(store, path, { limit: window.limit, place });
    },

    follow: (read) => follow(path, read),

    async attachment(attachmentId) {
      const { store } = requireRuntime('attachment()');
      const { bytes, ref } = await readAttachment(store, path, attachmentId);
      return { bytes, mimeType: ref.mimeType };
    },

    fileUrl: () => undefined,

    assertAnswerable() {
      if (currentUnit()?.instance !== path) return;
      throw misuse(
        'this awaited send goes to the instance that is running it, which cannot answer before it ends. Use send() without waiting, or another instance.',
        'FLUE4007',
      );
    },
  };
}

/** Until the signal fires: what the store holds needs no connection that could break. */
async function follow(path: string, { offset, signal, opened, receive }: LiveRead): Promise<LiveEnd> {
  const runtime = requireRuntime('observe()');
  const cursor = openCursor(await requireStream(runtime.store, path), offset);
  const { incarnation } = cursor.stream;
  const waiter = openWaiter(runtime, path);
  signal.addEventListener('abort', waiter.wake, { once: true });
  opened();
  try {
    while (!signal.aborted) {
      const page = await readUpdates(runtime.store, cursor, runtime.settings.http);
      if (signal.aborted) break;
      receive({ chunks: page.chunks, offset: page.nextOffset, incarnation, upToDate: page.upToDate });
      if (page.upToDate) await waiter.changed();
    }
    return { kind: 'ended' };
  } finally {
    signal.removeEventListener('abort', waiter.wake);
    waiter.close();
  }
}
