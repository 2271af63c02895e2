import type { AssistantMessage, Compaction, SubmissionMoved } from '../../records/index.ts';
import { entryId } from '../entries.ts';
import {
  type AssistantEntry,
  type Conversation,
  type Entry,
  emptyWindow,
  type Held,
  type MessageEntry,
  type ResultEntry,
  type ToolBatch,
  type Window,
} from '../state.ts';
import { isPlacedSignal, isSignalAs, isStep, type Step } from '../step.ts';

/** What the model reads, per open conversation and since its compaction. */
export function advanceMessages(step: Step): void {
  const { state, journal, record, conv } = step;
  for (const closed of step.closed) journal.remove(state.windows, closed);
  if (record.type === 'conversation_opened') {
    if (record.kind !== 'root') journal.put(state.windows, record.conv, emptyWindow());
    return;
  }
  const window = state.windows.get(conv);
  if (!window) return;
  if (isStep(step, 'assistant_message')) answer(step, window);
  else if (isStep(step, 'submission_moved')) place(step, window);
  else if (isStep(step, 'compaction')) cut(step, window);
  else if (isStep(step, 'user_message') && step.record.acceptedAt === undefined) append(step, window, 'user');
  else if (isPlacedSignal(state, record)) append(step, window, 'signal');
  if (step.committed) appendResults(step, window, step.committed);
}

function append(step: Step, window: Window, kind: MessageEntry['kind']): void {
  const { journal, record } = step;
  if (record.type === 'signal' && record.signalType === 'stream_continued') keepAborted(step, window);
  journal.push(window.entries, messageEntry(kind, undefined, step.held));
  if (kind === 'user' || isSignalAs(record, 'append')) journal.set(window, 'failedTurns', 0);
  // A prompt begins something new, as a delivery does.
  if (kind === 'user') journal.set(window, 'overflows', 0);
}

/** The signal before this one told the model of the interruption; the message before that one is continued. */
function keepAborted(step: Step, window: Window): void {
  const aborted = window.entries.at(-2);
  if (aborted?.kind === 'assistant') step.journal.set(aborted, 'kept', true);
}

function place(step: Step<SubmissionMoved>, window: Window): void {
  const { state, journal, record } = step;
  const pending = state.queue.pending.find((each) => each.submissionId === record.submissionId);
  if (record.to === 'running' && state.response?.host !== record.submissionId) {
    journal.set(window, 'turn', 0);
    journal.set(window, 'overflows', 0);
  }
  if (record.to === 'queued' || !pending?.message || pending.placed) return;
  journal.push(window.entries, messageEntry(pending.message, record.submissionId, pending.held));
  journal.set(window, 'failedTurns', 0);
}

function messageEntry(kind: MessageEntry['kind'], delivery: string | undefined, held: Held): MessageEntry {
  return { kind, delivery, held: held as MessageEntry['held'], tokens: undefined };
}

function answer(step: Step<AssistantMessage>, window: Window): void {
  const { journal, record, held } = step;
  const { turn, stop, content, fault } = record;
  const calls = content.flatMap((part) => (part.type === 'call' ? [part.id] : []));
  const entry: AssistantEntry = {
    kind: 'assistant',
    turn,
    host: record.submissionId,
    stop,
    fault: fault?.class,
    shown: content.some((part) => part.type !== 'call' && part.text !== ''),
    kept: false,
    calls,
    reported: record.usage?.totalTokens,
    held,
    tokens: undefined,
  };
  journal.push(window.entries, entry);
  journal.set(window, 'turn', turn);
  for (const call of calls) journal.add(window.callIds, call);
  if (stop === 'error') {
    journal.set(window, 'failedTurns', window.failedTurns + 1);
    if (fault?.class === 'overflow') journal.set(window, 'overflows', window.overflows + 1);
  } else if (stop !== 'aborted') {
    journal.set(window, 'failedTurns', 0);
    journal.set(window, 'overflows', 0);
  }
}

/** In call order, whatever order they settled in (TBR-02). */
function appendResults(step: Step, window: Window, batch: ToolBatch): void {
  for (const call of batch.calls) {
    if (!call.outcome) continue;
    const entry: ResultEntry = { kind: 'result', call: call.id, held: call.outcome, tokens: undefined };
    step.journal.push(window.entries, entry);
  }
}

function cut(step: Step<Compaction>, window: Window): void {
  const { state, journal, record, conv } = step;
  const kept = keptEntries(state, conv, window, record.firstKeptEntryId);
  journal.set(window, 'entries', kept);
  journal.set(window, 'summary', step.held);
  journal.set(window, 'callIds', callIdsOf(kept));
}

function keptEntries(state: Conversation, conv: number, window: Window, firstKept: string | null): Entry[] {
  if (firstKept === null) return [];
  const from = window.entries.findIndex((entry) => entryId(state.incarnation, conv, entry) === firstKept);
  return window.entries.slice(from);
}

export function callIdsOf(entries: readonly Entry[]): Set<string> {
  return new Set(entries.flatMap((entry) => (entry.kind === 'assistant' ? entry.calls : [])));
}
