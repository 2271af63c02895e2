import { entryTokens } from '../entries.ts';
import type {
  Child,
  Conversation,
  Entry,
  Held,
  OpenMessage,
  Pending,
  Response,
  ToolBatch,
  Window,
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

/** The state by places. Needs the bodies of entries whose size nobody has estimated yet. */
export function freeze(state: Conversation): Frozen {
  const { tail, birth, conversations, queue, response, open, cursor, resources } = state;
  return {
    head: tail.head,
    prepared: tail.prepared,
    ...(birth && { birth: { uid: birth.uid, at: placeOf(birth.held) } }),
    opened: conversations.opened,
    children: [...conversations.children.values()].map(freezeChild),
    windows: [...state.windows].map(([conv, window]) => freezeWindow(conv, window)),
    settled: queue.settled,
    pending: queue.pending.map(freezePending),
    ...(response && { response: freezeResponse(response) }),
    ...(open && { open: freezeOpen(open) }),
    toolBatches: [...state.toolBatches.values()].map(freezeToolBatch),
    values: [...state.values],
    ...(cursor && { cursor: placeOf(cursor) }),
    ...(resources && { resources: { last: resources.last, baseline: placeOf(resources.baseline) } }),
  };
}

function placeOf(held: Held): Place {
  return [held.batch, held.index];
}

function freezeChild({ conv, kind, parent, opener, agent }: Child): FrozenChild {
  return { conv, kind, parent, ...opener, ...(agent !== undefined && { agent }) };
}

function freezeWindow(conv: number, window: Window): FrozenWindow {
  const { turn, failedTurns, overflows, summary, entries } = window;
  return {
    conv,
    turn,
    failedTurns,
    overflows,
    ...(summary && { summary: placeOf(summary) }),
    entries: entries.map(freezeEntry),
  };
}

function freezeEntry(entry: Entry): FrozenEntry {
  const { batch, index } = entry.held;
  const tokens = entryTokens(entry);
  if (entry.kind === 'result') return ['result', batch, index, tokens, entry.call];
  if (entry.kind !== 'assistant') return [entry.kind, batch, index, tokens, entry.delivery ?? null];
  const { turn, host, stop, fault, shown, kept, reported, calls } = entry;
  return [
    'assistant',
    batch,
    index,
    tokens,
    turn,
    host,
    stop,
    fault ?? null,
    shown,
    kept,
    reported ?? null,
    calls,
  ];
}

function freezePending({ held, host, message, ...pending }: Pending): FrozenPending {
  return { ...pending, at: placeOf(held), ...(host !== undefined && { host }), ...(message && { message }) };
}

function freezeResponse(response: Response): FrozenResponse {
  const { data, metadata, final, calls, usage, answer, failingCall, ...plain } = response;
  return {
    ...plain,
    data: [...data],
    calls: calls.map(({ tool, isError }) => [tool, isError] as const),
    answer: answer.map(placeOf),
    ...(metadata && { metadata }),
    ...(final && { final }),
    ...(usage && { usage }),
    ...(failingCall && { failingCall }),
  };
}

function freezeOpen({ turn, host, model, drafts }: OpenMessage): NonNullable<Frozen['open']> {
  return { turn, host, model, drafts };
}

function freezeToolBatch({ conv, turn, message, calls }: ToolBatch): Frozen['toolBatches'][number] {
  return {
    conv,
    turn,
    message: placeOf(message),
    calls: calls.map(({ id, tool, outcome, steps, writes }) => ({
      id,
      tool,
      ...(outcome && { outcome: placeOf(outcome) }),
      steps: [...steps].map(([name, held]) => [name, placeOf(held)] as const),
      writes: writes.map(placeOf),
    })),
  };
}
