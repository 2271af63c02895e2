import type { AssistantMessage, StateWritten, StepRecorded } from '../../records/index.ts';
import type { ToolCall } from '../state.ts';
import { isStep, later, type Step, violation } from '../step.ts';

/** RCD-60: outcomes, steps and bound writes belong to an open call, once each; call ids are new. */
export function checkCall(step: Step): void {
  const { record } = step;
  if (isStep(step, 'assistant_message')) checkNewIds(step);
  else if (isStep(step, 'state_written')) checkWrite(step);
  else if (isStep(step, 'step_recorded')) checkNewStep(step);
  else if (record.type === 'call_settled') openCall(step, record.call, record.turn);
}

function checkNewIds(step: Step<AssistantMessage>): void {
  const seen = new Set<string>();
  for (const part of step.record.content) {
    if (part.type !== 'call') continue;
    if (seen.has(part.id) || isHeld(step, part.id)) violation(step, 'call', `call id ${part.id} is taken`);
    seen.add(part.id);
  }
}

function checkNewStep(step: Step<StepRecorded>): void {
  const { call, turn, name } = step.record;
  if (openCall(step, call, turn).steps.has(name))
    violation(step, 'call', `step ${name} of call ${call} is recorded already`);
}

function isHeld(step: Step, id: string): boolean {
  for (const window of step.state.windows.values()) if (window.callIds.has(id)) return true;
  return false;
}

function checkWrite(step: Step<StateWritten>): void {
  const { call, step: inStep } = step.record;
  if (call === undefined) return;
  openCall(step, call);
  const owner = later(step, (other) =>
    inStep === undefined
      ? other.type === 'call_settled' && other.call === call
      : other.type === 'step_recorded' && other.call === call && other.name === inStep,
  );
  if (!owner)
    violation(
      step,
      'call',
      `the ${inStep === undefined ? 'outcome' : 'step'} that it belongs to does not follow`,
    );
}

/** `turn` is left out where the record carries none. */
function openCall(step: Step, id: string, turn?: number): ToolCall {
  const batch = step.state.toolBatches.get(step.conv);
  const call = batch?.calls.find((each) => each.id === id);
  if (!batch || !call || (turn !== undefined && batch.turn !== turn))
    violation(step, 'call', `call ${id} is not open`);
  if (call.outcome) violation(step, 'call', `call ${id} is settled already`);
  return call;
}
