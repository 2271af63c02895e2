import type { JsonValue, PromptUsage } from '../../ports/model-shapes.ts';
import type {
  AssistantMessage,
  CallSettled,
  Compaction,
  Signal,
  StateWritten,
  StepRecorded,
  UserMessage,
} from '../records/index.ts';
import { bodyOf } from './calls.ts';
import { entryTokens, estimateTokens, isInContext } from './entries.ts';
import {
  type Conversation,
  type Entry,
  type Held,
  type Pending,
  ROOT,
  type ToolBatch,
  type ToolCall,
  type Window,
} from './state.ts';

/** What the engine and the submissions ask of the state. None of it costs more than the slice that it reads. */

/** The submission whose response is live, if one runs. */
export function liveHost(state: Conversation): Pending | undefined {
  return state.queue.pending.find((pending) => pending.state === 'running');
}

/** Queued deliveries in accepted order, without requests to compact (JOI-03). */
export function queuedDeliveries(state: Conversation): Pending[] {
  return state.queue.pending.filter((pending) => pending.state === 'queued' && pending.kind === 'delivery');
}

/** Requests to compact that wait, oldest first (RCD-45). */
export function compactionRequests(state: Conversation): Pending[] {
  return state.queue.pending.filter((pending) => pending.kind === 'compact');
}

/** Placed deliveries whose start seam has not run to its end (START-04), in the order in which the model reads them. */
export function openStartSeams(state: Conversation): Pending[] {
  return state.queue.pending.filter((pending) => pending.placed && !pending.startSeamClosed);
}

export function windowOf(state: Conversation, conv: number = ROOT): Window {
  const window = state.windows.get(conv);
  if (!window) throw new Error(`Conversation ${conv} is not open.`);
  return window;
}

/** The ordinal of the next model call (RCD-02). */
export function nextTurn(state: Conversation, conv: number = ROOT): number {
  return windowOf(state, conv).turn + 1;
}

/** The next free place among the response's parts (RCD-15). */
export function nextPart(state: Conversation): number {
  return state.response?.nextPart ?? 0;
}

/** Where a data part of this name belongs: its own place, or the next one (RCD-64). */
export function dataPart(state: Conversation, name: string): number {
  return state.response?.data.get(name) ?? nextPart(state);
}

/** Whether a new call would have to take another id (RCD-16). */
export function isCallIdTaken(state: Conversation, id: string): boolean {
  for (const window of state.windows.values()) if (window.callIds.has(id)) return true;
  return false;
}

/** Calls without an outcome, in call order. */
export function openCalls(batch: ToolBatch): ToolCall[] {
  return batch.calls.filter((call) => !call.outcome);
}

/** Whether a call has no outcome yet. */
export function isCallOpen(state: Conversation, conv: number, id: string): boolean {
  const batch = state.toolBatches.get(conv);
  return batch !== undefined && openCalls(batch).some((call) => call.id === id);
}

/** What the steps of an open call left, in the order in which they were recorded (STEP-01). */
export function recordedSteps(state: Conversation, conv: number, call: string): StepRecorded[] {
  const open = state.toolBatches.get(conv)?.calls.find((each) => each.id === call);
  return [...(open?.steps.values() ?? [])].map(bodyOf);
}

/** State writes of the root's open tool batch that its commit will apply (RCD-28), those of recorded steps among them. */
export function recordedWrites(state: Conversation): StateWritten[] {
  const calls = state.toolBatches.get(ROOT)?.calls ?? [];
  return calls
    .filter((call) => !call.outcome || bodyOf(call.outcome).interrupted !== true)
    .flatMap((call) => call.writes.map(bodyOf));
}

/** What the first contact brought (IDATA-01). */
export function initialData(state: Conversation): JsonValue | undefined {
  return state.birth && bodyOf(state.birth.held).initialData;
}

/** What `useDelivery` returns (DLV-01). */
export function deliveryRecord(state: Conversation): UserMessage | Signal | undefined {
  return state.cursor && bodyOf(state.cursor);
}

/** The response's total so far (HND-20). */
export function responseUsage(state: Conversation): PromptUsage | undefined {
  return state.response?.usage;
}

/** Texts of a message joined by a blank line; what continues an aborted one follows it directly (HND-18, RCD-83). */
export function responseText(state: Conversation): string {
  return (state.response?.answer ?? []).map((held) => answerText(bodyOf(held))).join('');
}

/** The text of one message, its parts joined by a blank line. */
export function answerText(message: Pick<AssistantMessage, 'content'>): string {
  return message.content
    .flatMap((part) => (part.type === 'text' && part.text !== '' ? [part.text] : []))
    .join('\n\n');
}

/** How often in a row this call will have failed in this way, if it does so now (TURN-18). */
export function failuresInARow(state: Conversation, tool: string, args: string, failure: string): number {
  const last = state.response?.failingCall;
  const same = last?.tool === tool && last.args === args && last.failure === failure;
  return same ? last.count + 1 : 1;
}

/** One message of the model's context (section 6). `stop` of a continued message is `stop` (RCD-83). */
export type ContextItem =
  | { readonly kind: 'summary'; readonly record: Compaction }
  | { readonly kind: 'message'; readonly record: UserMessage | Signal }
  | { readonly kind: 'assistant'; readonly record: AssistantMessage; readonly stop: AssistantMessage['stop'] }
  | { readonly kind: 'result'; readonly record: CallSettled };

/** What the model reads, in order: failed messages and aborted ones that nothing continues are left out. */
export function contextItems(state: Conversation, conv: number = ROOT): ContextItem[] {
  const { summary, entries } = windowOf(state, conv);
  const items = itemsOf(entries);
  return summary ? [{ kind: 'summary', record: bodyOf(summary) }, ...items] : items;
}

/** The same for a stretch of a window. */
export function itemsOf(entries: readonly Entry[]): ContextItem[] {
  const items: ContextItem[] = [];
  for (const entry of entries) {
    if (!isInContext(entry)) continue;
    if (entry.kind === 'result') items.push({ kind: 'result', record: bodyOf(entry.held) });
    else if (entry.kind !== 'assistant') items.push({ kind: 'message', record: bodyOf(entry.held) });
    else
      items.push({ kind: 'assistant', record: bodyOf(entry.held), stop: entry.kept ? 'stop' : entry.stop });
  }
  return items;
}

/**
 * Used tokens (CMP-05): what the last successful turn reported, plus an estimate of everything after it. Without a report
 * since the compaction all of it is estimated, `rest` included: what a request holds besides the conversation.
 */
export function usedTokens(state: Conversation, rest: () => number = () => 0, conv: number = ROOT): number {
  const window = windowOf(state, conv);
  const { reported, since } = countTokens(window);
  return reported === undefined ? summaryTokens(window) + since + rest() : reported + since;
}

/** What the conversation takes in a request, estimated throughout. */
export function contextTokens(state: Conversation, conv: number = ROOT): number {
  const window = windowOf(state, conv);
  return summaryTokens(window) + countTokens(window).all;
}

interface TokenCount {
  /** of the last turn that reported any */
  readonly reported: number | undefined;
  /** estimate of what came after that turn; of everything, without one */
  readonly since: number;
  /** estimate of everything */
  readonly all: number;
}

const NO_TOKENS: TokenCount = { reported: undefined, since: 0, all: 0 };

/** An aborted message enters the context when what directly follows it continues it, so the newest entries stay open. */
const OPEN_ENTRIES = 4;

/** Counts of all but the newest entries, by the list that they are of: a turn costs what it adds. */
const counted = new WeakMap<readonly Entry[], { upTo: number; last: Entry | undefined; count: TokenCount }>();

function countTokens({ summary, entries }: Window): TokenCount {
  let known = counted.get(entries);
  if (!known || (known.upTo > 0 && entries[known.upTo - 1] !== known.last)) {
    known = { upTo: 0, last: undefined, count: NO_TOKENS };
    counted.set(entries, known);
  }
  for (; known.upTo < entries.length - OPEN_ENTRIES; known.upTo += 1) {
    known.last = entries[known.upTo]!;
    known.count = withEntry(known.count, known.last, summary);
  }
  let { count } = known;
  for (let at = known.upTo; at < entries.length; at += 1) count = withEntry(count, entries[at]!, summary);
  return count;
}

function withEntry(count: TokenCount, entry: Entry, summary: Window['summary']): TokenCount {
  if (!isInContext(entry)) return count;
  const tokens = entryTokens(entry);
  const all = count.all + tokens;
  // A kept turn from before the compaction reported a context that is no more.
  const isReport = entry.kind === 'assistant' && !entry.kept && !(summary && isBefore(entry.held, summary));
  return isReport && entry.reported
    ? { reported: entry.reported, since: 0, all }
    : { reported: count.reported, since: count.since + tokens, all };
}

function summaryTokens({ summary }: Window): number {
  return summary ? estimateTokens(bodyOf(summary).summary.length) : 0;
}

function isBefore(a: Held, b: Held): boolean {
  return a.batch < b.batch || (a.batch === b.batch && a.index < b.index);
}
