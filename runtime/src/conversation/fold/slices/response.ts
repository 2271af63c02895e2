import { addUsage } from '../../add-usage.ts';
import { mergeMetadata } from '../../metadata.ts';
import type { AssistantDelta, AssistantMessage, CallSettled, SubmissionMoved } from '../../records/index.ts';
import { argumentsOf, bodyOf, failureOf } from '../calls.ts';
import { type AssistantEntry, type Held, type Response, ROOT, type ToolBatch } from '../state.ts';
import { isPlacedSignal, isStep, type Step } from '../step.ts';

/** What the response of the host has come to, and what its end depends on. */
export function advanceResponse(step: Step): void {
  const { state, record } = step;
  if (isStep(step, 'submission_moved')) moved(step);
  const { response } = state;
  if (!response) return;
  if (record.type === 'submission_settled') {
    if (record.submissionId === response.host) step.journal.set(state, 'response', undefined);
  } else if (isStep(step, 'assistant_message')) messageEnded(step, response);
  else if (isStep(step, 'assistant_delta')) blockShown(step, response);
  else if (isStep(step, 'call_settled')) callEnded(step, response);
  else advanceOutput(step, response);
  countUsage(step, response);
}

function moved(step: Step<SubmissionMoved>): void {
  const { state, journal, record, batch } = step;
  if (record.to === 'joined' && state.response) journal.set(state.response, 'final', undefined);
  if (record.to !== 'running') return;
  if (state.response?.host !== record.submissionId) {
    const pending = state.queue.pending.find((each) => each.submissionId === record.submissionId);
    journal.set(state, 'response', newResponse(record.submissionId, pending?.kind ?? 'delivery'));
  }
  const response = state.response as Response;
  journal.set(response, 'epoch', batch.epoch);
  journal.set(response, 'attempt', record.attempt);
}

function newResponse(host: string, kind: Response['kind']): Response {
  return {
    host,
    kind,
    epoch: 0,
    attempt: 0,
    nextPart: 0,
    data: new Map(),
    metadata: undefined,
    cycles: 0,
    completedSteps: 0,
    final: undefined,
    calls: [],
    usage: undefined,
    answer: [],
    continuing: false,
    failingCall: undefined,
  };
}

function messageEnded(step: Step<AssistantMessage>, response: Response): void {
  if (step.conv !== ROOT) return;
  const { journal, record, held } = step;
  const { stop, content } = record;
  for (const part of content) {
    if (part.part !== undefined && part.part >= response.nextPart)
      journal.set(response, 'nextPart', part.part + 1);
  }
  const completed = stop !== 'error' && stop !== 'aborted';
  const hasCalls = content.some((part) => part.type === 'call');
  journal.set(response, 'final', completed && !hasCalls ? 'stopped' : undefined);
  if (!completed) return;
  journal.set(response, 'completedSteps', response.completedSteps + 1);
  journal.set(response, 'answer', response.continuing ? [...response.answer, held] : [held]);
  journal.set(response, 'continuing', false);
}

function blockShown(step: Step<AssistantDelta>, response: Response): void {
  const { part } = step.record;
  if (part >= response.nextPart) step.journal.set(response, 'nextPart', part + 1);
}

function callEnded(step: Step<CallSettled>, response: Response): void {
  if (step.conv !== ROOT) return;
  const { journal, record } = step;
  journal.push(response.calls, { tool: record.tool, isError: record.status === 'error' });
  journal.set(response, 'failingCall', nextFailing(step, response));
  const { committed } = step;
  if (committed && allTerminate(committed)) journal.set(response, 'final', 'terminated');
}

function allTerminate(batch: ToolBatch): boolean {
  return batch.calls.every((call) => call.outcome && bodyOf(call.outcome).terminate === true);
}

/** TURN-18: any other call or outcome starts the count anew. */
function nextFailing(step: Step<CallSettled>, response: Response): Response['failingCall'] {
  const { state, record } = step;
  if (record.status !== 'error') return undefined;
  const batch = step.committed ?? state.toolBatches.get(ROOT);
  if (!batch) return undefined;
  const tool = record.tool;
  const args = argumentsOf(batch, record.call);
  const failure = failureOf(record);
  const last = response.failingCall;
  const same = last?.tool === tool && last.args === args && last.failure === failure;
  return { tool, args, failure, count: same ? last.count + 1 : 1 };
}

function advanceOutput(step: Step, response: Response): void {
  const { state, journal, record } = step;
  if (record.type === 'metadata_merged') {
    journal.set(response, 'metadata', mergeMetadata(response.metadata, record.metadata));
  } else if (record.type === 'data_written') {
    if (response.data.has(record.name)) return;
    journal.put(response.data, record.name, record.part);
    journal.set(response, 'nextPart', record.part + 1);
  } else if (record.type === 'seam_closed' && record.seam === 'finish') {
    journal.set(response, 'cycles', record.cycle);
  } else if (isPlacedSignal(state, record)) {
    journal.set(response, 'final', undefined);
    if (record.signalType === 'stream_continued') continueAborted(step, response);
  }
}

/** The messages slice has placed the pair of signals; the message that they continue stands before them. */
function continueAborted(step: Step, response: Response): void {
  const aborted = step.state.windows.get(ROOT)?.entries.at(-3) as AssistantEntry | undefined;
  if (aborted?.kind !== 'assistant') return;
  const before: readonly Held<AssistantMessage>[] = response.continuing ? response.answer : [];
  step.journal.set(response, 'answer', [...before, aborted.held]);
  step.journal.set(response, 'continuing', true);
}

function countUsage(step: Step, response: Response): void {
  const { record } = step;
  if (record.type !== 'assistant_message' && record.type !== 'compaction') return;
  if (record.usage && record.submissionId === response.host) {
    step.journal.set(response, 'usage', addUsage(response.usage, record.usage));
  }
}
