import { bodyOf } from '../conversation/fold/calls.ts';
import { answerText, windowOf } from '../conversation/fold/queries.ts';
import type { AssistantMessage, CallSettled } from '../conversation/records/index.ts';
import type { CallPart } from '../ports/model-shapes.ts';
import {
  type Compactable,
  compactAtThreshold,
  recoverFromOverflow,
} from './compaction/compact-conversation.ts';
import type { HarnessFrame } from './harness/held-harness.ts';
import { callModel, recordChildMessage } from './model-call.ts';
import type { UnplacedMessage } from './model-step.ts';
import type { RenderedFrame } from './render.ts';
import { runTools } from './tool-calls.ts';
import { CallUnresolved } from './tools/run-call.ts';
import type { ConversationScope } from './turn-scope.ts';
import { inConversation } from './write-records.ts';

/*
 * The turns of a child's conversation: a delegate's task, or a harness's scratch.
 *
 * K1  Nothing is written once the child's signal has fired, save what its owner closes it with.
 * K2  What the child was rendered with stays for all of its turns (DELEG-04); a compaction keeps its system prompt.
 */

/** What a child's owner has to say about its turns, where the model's stopping is not all there is to them. */
export interface Course {
  /** A text of the model, not empty. */
  said(text: string): void;
  /** The outcomes of a tool batch: whether they end the work. */
  isDone(outcomes: readonly CallSettled[]): boolean;
  /** The model has stopped: what it is told to go on with; `undefined` when that is the end. */
  goOnWith(): string | undefined;
  /** A model call was stopped; what it had said by then. */
  cutOff(message: UnplacedMessage): Promise<void>;
}

/**
 * The child's turns to its final text (TASK-04). Rejects with `CallUnresolved` where no turn may start any more, and with
 * what ends the work of a model that fails.
 */
export async function takeTurns(
  scope: ConversationScope,
  frame: HarnessFrame,
  course?: Course,
): Promise<string> {
  const child = childConversation(scope, frame);
  let serverWait = 0;
  for (;;) {
    await mayTakeTurn(scope, serverWait);
    serverWait = 0;
    await compactIfDue(child, frame);
    const step = await callModel(scope, frame);
    if (step.kind === 'aborted') {
      await course?.cutOff(step.message);
      throw new CallUnresolved();
    }
    const failure = step.message.fault && scope.pace.failure(scope.conv, step);
    const message = await record(scope, step.message);
    if (failure) throw failure;
    if (message.fault) {
      serverWait = step.end.retryAfterMs ?? 0;
      continue;
    }
    const text = answerText(message);
    if (text !== '') course?.said(text);
    const calls = message.content.filter((part): part is CallPart => part.type === 'call');
    if (calls.length > 0) {
      await runTools(scope, frame, message, calls);
      if (course?.isDone(outcomesOf(scope, calls))) return text;
      continue;
    }
    const next = course?.goOnWith();
    if (next === undefined) return text;
    await tell(scope, next);
  }
}

/** Nothing is written for what the attempt, or whoever owns the child, has given up (K1). */
export function goOn({ signal }: Pick<ConversationScope, 'signal'>): void {
  if (signal.aborted) throw new CallUnresolved();
}

/** A child has no baseline, so its compaction is one record. */
export function childConversation<F extends RenderedFrame>(
  scope: ConversationScope,
  frame: F,
): Compactable<F> {
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
  message: UnplacedMessage,
): Promise<Pick<AssistantMessage, 'content' | 'fault' | 'turn' | 'stop'>> {
  goOn(scope);
  let recorded = message;
  await scope.sink.write((batch) => {
    recorded = recordChildMessage(batch, scope, message);
  });
  return recorded;
}

/** What the calls came to, once all of them have come to something. */
function outcomesOf({ sink, conv }: ConversationScope, calls: readonly CallPart[]): CallSettled[] {
  if (sink.state.toolBatches.has(conv)) return [];
  const last = windowOf(sink.state, conv).entries.slice(-calls.length);
  return last.flatMap((entry) => (entry.kind === 'result' ? [bodyOf(entry.held)] : []));
}

/** A message to the model that nobody delivered: it is recorded, so every later call reads it again (RES-08). */
async function tell(scope: ConversationScope, body: string): Promise<void> {
  goOn(scope);
  const { host: submissionId, conv } = scope;
  await scope.sink.write((batch) =>
    batch.add([{ type: 'user_message', submissionId, ...inConversation(conv), body }]),
  );
}
