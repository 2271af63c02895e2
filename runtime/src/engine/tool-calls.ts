import { LIMITS } from '../contract/limits.ts';
import { REPEATED_FAILURE } from '../conversation/fold/calls.ts';
import { callsBelow } from '../conversation/fold/converge.ts';
import { failuresInARow, isCallOpen, recordedWrites } from '../conversation/fold/queries.ts';
import { ROOT } from '../conversation/fold/state.ts';
import type { NewRecord } from '../conversation/records/index.ts';
import { FlueError } from '../errors/flue-error.ts';
import type { CallPart, ResultPart } from '../ports/model-shapes.ts';
import type { HarnessFrame } from './harness/held-harness.ts';
import { stepJournal } from './step-journal.ts';
import { type CallOutcome, runToolBatch } from './tool-batch.ts';
import type { ConversationScope } from './turn-scope.ts';
import { inUnit } from './unit.ts';
import { inConversation, writeRecords } from './write-records.ts';

/** Answers the calls of a recorded message. Each outcome is durable before its slot is used again (TBR-03). */
export async function runTools(
  scope: ConversationScope,
  frame: Pick<HarnessFrame, 'tools' | 'openHarness'>,
  message: { readonly turn: number; readonly stop: string },
  calls: readonly CallPart[],
): Promise<void> {
  const { sink, host, values, conv } = scope;
  const settle = (call: CallPart, outcome: CallOutcome, writes: readonly NewRecord[]) =>
    sink.write((batch) => {
      // Whoever gave the conversation up may have closed the call in the meantime: then this comes too late.
      if (!isCallOpen(sink.state, conv, call.id)) return;
      batch.add([...callsBelow(sink.state, conv, call.id), ...writes, settled(call, outcome)]);
    });
  const settled = (call: CallPart, outcome: CallOutcome): NewRecord => {
    const { durationMs } = outcome;
    const settlement = {
      type: 'call_settled' as const,
      submissionId: host,
      ...inConversation(conv),
      turn: message.turn,
      call: call.id,
      tool: call.tool,
      durationMs,
    };
    if (outcome.status === 'error')
      return {
        status: 'error' as const,
        content: errorParts(scope, call, outcome.text),
        ...settlement,
      };
    if ('content' in outcome) return { status: 'ok' as const, content: [...outcome.content], ...settlement };
    const limit = scope.settings.maxToolResultBytes;
    return {
      status: 'ok' as const,
      output: outcome.output,
      ...settlement,
      ...(exceeds(outcome.output, limit) && { shown: limit }),
    };
  };
  const ids = calls.map((call) => call.id);
  if (conv === ROOT) values.beginBatch(ids, recordedWrites(sink.state));
  else values.openChildCalls(ids);
  await runToolBatch({
    calls,
    tools: new Map(frame.tools.map((tool) => [tool.name, tool])),
    cut: message.stop === 'length',
    signal: scope.signal,
    clock: scope.clock,
    within: (call, run) => inUnit({ instance: scope.path, call }, run),
    emitProgress: scope.emitProgress,
    started: (call, tool) => scope.trace.toolStarted(conv, call, tool),
    failed: (call, error) => scope.trace.toolFailed(conv, call, error),
    journal: (call) => stepJournal(scope, message.turn, call.id),
    harness: ({ id }) => frame.openHarness({ call: id }),
    record: async (call, outcome) => {
      const writes = writeRecords(scope, values.take(call.id));
      try {
        await settle(call, outcome, writes);
      } catch (error) {
        if (!FlueError.is(error, 'record_too_large')) throw error;
        // TBR-07: what cannot be recorded is told to the model instead, and the submission goes on.
        await settle(call, { status: 'error', text: error.message, durationMs: outcome.durationMs }, writes);
      }
    },
  });
  if (conv === ROOT && !scope.signal.aborted) values.commitBatch();
}

/** TURN-18: a model that repeats a call which keeps failing is told so. A delegate's calls are not counted. */
function errorParts(
  { sink, conv }: Pick<ConversationScope, 'sink' | 'conv'>,
  { tool, args }: CallPart,
  text: string,
): ResultPart[] {
  const isRepeated =
    conv === ROOT && failuresInARow(sink.state, tool, args, text) >= LIMITS.repeatedFailuresTold;
  return [{ type: 'text', text }, ...(isRepeated ? [{ type: 'text', text: REPEATED_FAILURE } as const] : [])];
}

function exceeds(output: unknown, limit: number): boolean {
  return Buffer.byteLength(JSON.stringify(output)) > limit;
}
