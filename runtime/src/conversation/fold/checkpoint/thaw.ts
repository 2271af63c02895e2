import { callIdsOf } from '../slices/messages.ts';
import {
  type Child,
  type Conversation,
  type Entry,
  emptyConversation,
  type Held,
  type Pending,
  type Response,
  type ToolBatch,
  type Window,
} from '../state.ts';
import type {
  Frozen,
  FrozenChild,
  FrozenEntry,
  FrozenPending,
  FrozenResponse,
  FrozenWindow,
  Place,
} from './frozen.ts';

/**
 * The state again, without bodies. `at` is the batch with which the checkpoint was committed: what was frozen from a
 * prepared batch stands there, and not where it was assumed to come to stand.
 */
export function thaw(frozen: Frozen, incarnation: string, at: number): Conversation {
  const state = emptyConversation(incarnation);
  const actual = (batch: number) => (frozen.prepared && batch === frozen.head ? at : batch);
  // Only places are kept, so which type of record stands there is known from the slot it fills.
  const held: Thaw = ([batch, index]) => ({ batch: actual(batch), index, record: undefined });
  const { birth, response, open, cursor, resources } = frozen;
  if (birth) state.birth = { uid: birth.uid, held: held(birth.at) };
  state.conversations.opened = frozen.opened;
  for (const child of frozen.children) state.conversations.children.set(child.conv, thawChild(child));
  for (const window of frozen.windows) state.windows.set(window.conv, thawWindow(window, held));
  state.queue.settled = frozen.settled;
  state.queue.pending = frozen.pending.map((pending) => thawPending(pending, held));
  if (response) state.response = thawResponse(response, held);
  if (open) state.open = { ...open, blocks: [], drafts: open.drafts.map(actual), partial: true };
  for (const batch of frozen.toolBatches) state.toolBatches.set(batch.conv, thawToolBatch(batch, held));
  for (const [name, value] of frozen.values) state.values.set(name, value);
  if (cursor) state.cursor = held(cursor);
  if (resources) state.resources = { last: resources.last, baseline: held(resources.baseline) };
  // Admissions that came in before a prepared batch are folded after it, which is sound (RCD-44).
  const overtaken = frozen.prepared && frozen.head < at;
  state.tail.head = overtaken ? frozen.head - 1 : frozen.head;
  state.tail.included = overtaken ? at : undefined;
  return state;
}

type Thaw = (place: Place) => Held<never>;

function thawChild({ conv, kind, parent, call, hook, agent }: FrozenChild): Child {
  return { conv, kind, parent, opener: call === undefined ? { hook: hook ?? '' } : { call }, agent };
}

function thawWindow({ turn, failedTurns, overflows, summary, entries }: FrozenWindow, held: Thaw): Window {
  const thawed = entries.map((entry) => thawEntry(entry, held));
  return {
    callIds: callIdsOf(thawed),
    summary: summary && held(summary),
    entries: thawed,
    turn,
    failedTurns,
    overflows,
  };
}

function thawEntry(entry: FrozenEntry, held: Thaw): Entry {
  const place = held([entry[1], entry[2]]);
  if (entry[0] === 'result') return { kind: 'result', call: entry[4], held: place, tokens: entry[3] };
  if (entry[0] !== 'assistant') {
    return { kind: entry[0], delivery: entry[4] ?? undefined, held: place, tokens: entry[3] };
  }
  const [kind, , , tokens, turn, host, stop, fault, shown, kept, reported, calls] = entry;
  return {
    kind,
    turn,
    host,
    stop,
    fault: fault ?? undefined,
    shown,
    kept,
    calls,
    reported: reported ?? undefined,
    held: place,
    tokens,
  };
}

function thawPending({ at, host, message, ...pending }: FrozenPending, held: Thaw): Pending {
  return { ...pending, message, host, held: held(at) };
}

function thawResponse(frozen: FrozenResponse, held: Thaw): Response {
  const { data, calls, answer, metadata, final, usage, failingCall, ...plain } = frozen;
  return {
    ...plain,
    data: new Map(data),
    metadata,
    final,
    calls: calls.map(([tool, isError]) => ({ tool, isError })),
    usage,
    answer: answer.map(held),
    failingCall,
  };
}

function thawToolBatch({ conv, turn, message, calls }: Frozen['toolBatches'][number], held: Thaw): ToolBatch {
  return {
    conv,
    turn,
    message: held(message),
    calls: calls.map(({ id, tool, outcome, steps, writes }) => ({
      id,
      tool,
      outcome: outcome && held(outcome),
      steps: new Map(steps.map(([name, place]) => [name, held(place)])),
      writes: writes.map(held),
    })),
  };
}
