import { bodyOf } from '../conversation/fold/calls.ts';
import { compactionRequests } from '../conversation/fold/queries.ts';
import { type Conversation, type Pending, ROOT } from '../conversation/fold/state.ts';
import type { NewRecord } from '../conversation/records/index.ts';
import { planCompaction } from '../engine/compaction/compact.ts';
import {
  type Compactable,
  contained,
  type Order,
  summarized,
  tokensUsed,
} from '../engine/compaction/compact-conversation.ts';
import type { HarnessFrame } from '../engine/harness/held-harness.ts';
import { baseline } from '../engine/narrate-turn.ts';
import type { BatchBuilder } from '../engine/sink.ts';
import type { TurnScope } from '../engine/turn-scope.ts';
import type { FlueError } from '../errors/flue-error.ts';
import type { AttemptContext } from './attempt-context.ts';
import { renderNow } from './render-now.ts';
import { settleRequests } from './settle.ts';
import type { StreamWriter } from './stream-writer.ts';

/** The main conversation: each compaction brings a new baseline of its own, in the same commit (NARR-25). */
export function mainConversation(writer: StreamWriter, scope: TurnScope): Compactable<HarnessFrame> {
  return {
    scope,
    frame: () => renderNow(writer, scope),
    async commit(record) {
      await scope.environments.lookAgain();
      let frame: HarnessFrame | undefined;
      await writer.write((batch) => {
        frame = rebase(batch, writer, scope, record);
      });
      return frame!;
    },
  };
}

export interface Answer {
  /** the compaction, if there was anything to compact, and the settlement of the requests that wait */
  readonly units: (batch: BatchBuilder) => void;
  /** why the summary failed, which leaves the conversation as it was */
  readonly failure: FlueError | undefined;
}

/**
 * Answers every open request with one compaction, by the instructions of the oldest (RCD-45, HND-21). The units are the
 * caller's to write; one that has its own turn is settled by it.
 */
export async function answerRequests(
  context: AttemptContext,
  writer: StreamWriter,
  scope: TurnScope,
): Promise<Answer> {
  const { state } = writer;
  const requests = openRequests(context, state);
  const waiting = requests.filter((request) => request.state === 'queued');
  const answer = (failure?: FlueError, compaction?: (batch: BatchBuilder) => unknown): Answer => ({
    units: (batch) => {
      compaction?.(batch);
      settleRequests(batch, context, state, waiting, failure);
    },
    failure,
  });
  const plan = planCompaction(state, scope.compaction.limits.keepRecentTokens, ROOT);
  if (!plan || requests.length === 0) return answer();
  const tokensBefore = tokensUsed(scope, renderNow(writer, scope));
  const order: Order = { reason: 'manual', tokensBefore, instructions: instructionsOf(requests[0]!) };
  try {
    const record = await summarized(scope, plan, order);
    await scope.environments.lookAgain();
    return answer(undefined, (batch) => rebase(batch, writer, scope, record));
  } catch (error) {
    return answer(contained(error, scope));
  }
}

/** What was asked to stop is settled as that. */
export function openRequests({ abortedIds }: AttemptContext, state: Conversation): Pending[] {
  return compactionRequests(state).filter(({ submissionId }) => !abortedIds.has(submissionId));
}

/** The compaction and the new baseline, from which changes are told from now on: one unit (NARR-25, AGENT-07d). */
function rebase(
  batch: BatchBuilder,
  writer: StreamWriter,
  scope: TurnScope,
  record: NewRecord,
): HarnessFrame {
  const frame = renderNow(writer, scope);
  batch.add([record, baseline(scope, frame)]);
  return frame;
}

function instructionsOf({ held }: Pending): string | undefined {
  const record = bodyOf(held);
  return record.type === 'compaction_requested' ? record.instructions : undefined;
}
