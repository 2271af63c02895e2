import { answerText, windowOf } from '../conversation/fold/queries.ts';
import type { AssistantMessage } from '../conversation/records/index.ts';
import type { CallPart } from '../ports/model-shapes.ts';
import {
  type Compactable,
  compactAtThreshold,
  recoverFromOverflow,
} from './compaction/compact-conversation.ts';
import { callModel, recordChildMessage } from './model-call.ts';
import type { RenderedFrame } from './render.ts';
import { runTools } from './tool-calls.ts';
import { CallUnresolved } from './tools/run-call.ts';
import type { ConversationScope } from './turn-scope.ts';

/*
 * The turns of a child's conversation: a delegate's task, or a harness's scratch.
 *
 * K1  Nothing is written once the child's signal has fired, save what its owner closes it with.
 * K2  What the child was rendered with stays for all of its turns (DELEG-04); a compaction keeps its system prompt.
 */

/** The child's turns to its final text (TASK-04). Rejects with `CallUnresolved` where no turn may start any more. */
export async function takeTurns(scope: ConversationScope, frame: RenderedFrame): Promise<string> {
  const child = childConversation(scope, frame);
  let serverWait = 0;
  for (;;) {
    await mayTakeTurn(scope, serverWait);
    serverWait = 0;
    await compactIfDue(child, frame);
    const step = await callModel(scope, frame);
    if (step.kind === 'aborted') throw new CallUnresolved();
    const failure = step.message.fault && scope.pace.failure(scope.conv, step);
    const message = await record(scope, step.message);
    if (failure) throw failure;
    if (message.fault) {
      serverWait = step.end.retryAfterMs ?? 0;
      continue;
    }
    const calls = message.content.filter((part): part is CallPart => part.type === 'call');
    if (calls.length === 0) return answerText(message);
    await runTools(scope, frame, message, calls);
  }
}

/** Nothing is written for what the attempt, or whoever owns the child, has given up (K1). */
export function goOn({ signal }: Pick<ConversationScope, 'signal'>): void {
  if (signal.aborted) throw new CallUnresolved();
}

/** A child has no baseline, so its compaction is one record. */
function childConversation(scope: ConversationScope, frame: RenderedFrame): Compactable {
  return {
    scope,
    frame: () => frame,
    async commit(compaction) {
      goOn(scope);
      await scope.sink.write((batch) => batch.add([compaction]));
      return frame;
    },
  };
}

async function mayTakeTurn(scope: ConversationScope, serverWait: number): Promise<void> {
  goOn(scope);
  if (!(await scope.pace.next(scope, serverWait))) throw new CallUnresolved();
  goOn(scope);
}

/** After an overflow, and where the context has grown over the threshold (OVER-02, CMP-04). */
async function compactIfDue(child: Compactable, frame: RenderedFrame): Promise<void> {
  const { scope } = child;
  const summaryOf = () => windowOf(scope.sink.state, scope.conv).summary;
  const before = summaryOf();
  const failure = await recoverFromOverflow(child);
  if (failure) throw failure;
  await compactAtThreshold(child, frame);
  // A summary takes its time: from the deadline on no model call starts any more (BUD-06).
  if (summaryOf() !== before) await mayTakeTurn(scope, 0);
}

async function record(
  scope: ConversationScope,
  message: Parameters<typeof recordChildMessage>[2],
): Promise<Pick<AssistantMessage, 'content' | 'fault' | 'turn' | 'stop'>> {
  goOn(scope);
  let recorded = message;
  await scope.sink.write((batch) => {
    recorded = recordChildMessage(batch, scope, message);
  });
  return recorded;
}
