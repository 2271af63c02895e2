import type { AssistantMessage, CallSettled, StateWritten, StepRecorded } from '../../records/index.ts';
import type { ToolCall } from '../state.ts';
import { isStep, type Step } from '../step.ts';

/** The calls of a message until the last of them settles; then the batch has committed, and `committed` says so. */
export function advanceToolBatches(step: Step): void {
  if (isStep(step, 'assistant_message')) open(step);
  else if (isStep(step, 'step_recorded')) keepStep(step);
  else if (isStep(step, 'state_written')) keepWrite(step);
  else if (isStep(step, 'call_settled')) settle(step);
}

function open(step: Step<AssistantMessage>): void {
  const { state, journal, record, conv } = step;
  const calls: ToolCall[] = [];
  for (const part of record.content) {
    if (part.type !== 'call') continue;
    calls.push({ id: part.id, tool: part.tool, outcome: undefined, steps: new Map(), writes: [] });
  }
  if (calls.length === 0) return;
  journal.put(state.toolBatches, conv, { conv, turn: record.turn, message: step.held, calls });
}

function keepStep(step: Step<StepRecorded>): void {
  const call = callOf(step, step.record.call);
  if (call) step.journal.put(call.steps, step.record.name, step.held);
}

function keepWrite(step: Step<StateWritten>): void {
  const { record } = step;
  const call = record.call === undefined ? undefined : callOf(step, record.call);
  if (call) step.journal.push(call.writes, step.held);
}

function settle(step: Step<CallSettled>): void {
  const { state, journal, record, conv } = step;
  const batch = state.toolBatches.get(conv);
  const call = callOf(step, record.call);
  if (!batch || !call) return;
  journal.set(call, 'outcome', step.held);
  if (!batch.calls.every((each) => each.outcome)) return;
  journal.remove(state.toolBatches, conv);
  step.committed = batch;
}

function callOf(step: Step, id: string): ToolCall | undefined {
  return step.state.toolBatches.get(step.conv)?.calls.find((call) => call.id === id);
}
