import { AgentRunError } from '../../app/agent-run-error.ts';
import { requireRuntime } from '../../app/current.ts';
import { followSubmission } from '../../app/reader.ts';
import { rebuildError } from '../../app/rebuild-error.ts';
import { instancePath } from '../../app/runtime.ts';
import { currentUnit } from '../../engine/unit.ts';
import { misuse } from '../../errors/flue-error.ts';
import type { AgentTransport, ConversationTransport } from './transport.ts';

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

    assertAnswerable() {
      if (currentUnit()?.instance !== path) return;
      throw misuse(
        'this awaited send goes to the instance that is running it, which cannot answer before it ends. Use send() without waiting, or another instance.',
        'FLUE4007',
      );
    },
  };
}
