import type {
  Chunk,
  ConversationMessage,
  ConversationSnapshot,
} from '../../../conversation/projections/chunk.ts';
import { FlueStreamError } from '../http/errors.ts';
import type { ConversationTransport, LiveNews } from '../transport.ts';
import { type ObserveTiming, reconnectDelay, systemObserveTiming } from './observe-timing.ts';
import { type ObservedConversation, observedConversation } from './observed-conversation.ts';
import { type PartChange, partChanges } from './part-changes.ts';

/*
 * One observation: reads the conversation once and follows its changes until it is closed.
 *
 * O1  What broke is resumed from the last offset whose chunks are all applied. The conversation is read again only when
 *     that cannot be done: it is gone, another one, or something is missing (OBSV-03).
 * O2  Nothing is published between a first read and its whole, nor in the middle of one network read (OBSV-08, OBSV-09).
 * O3  One loop at a time: `restart` ends the former one by its signal, and a loop whose signal fired changes nothing.
 */

type Phase = 'loading' | 'connecting' | 'live' | 'absent' | 'error' | 'closed';

interface Snapshot {
  readonly conversation: ConversationSnapshot | undefined;
  readonly offset: string | undefined;
  readonly phase: Phase;
  readonly error: Error | undefined;
}

export interface Observation {
  getSnapshot(): Snapshot;
  subscribe(listener: () => void): () => void;
  onTool(name: string, listener: Listener): () => void;
  onData(name: string, listener: Listener): () => void;
  refresh(): void;
  loadOlder(): Promise<void>;
  close(reason?: unknown): void;
  /** the instance was written to from here, so it is there now (OBSV-10) */
  contacted(): void;
}

type Listener = (value: never, message: never) => void;

interface Options {
  readonly live?: 'sse' | 'long-poll';
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** A connection that lived so long was a good one, whatever ended it (OBSV-04). */
const GOOD_LIFE_MS = 30_000;
/** Refused so often in a row, credentials are not going to be accepted (OBSV-05). */
const REFUSALS = 3;
/** Event streams that end before their first control event: something between here and there holds them back (OBSV-07). */
const BLIND_ENDS = 3;
const RETRY_STREAM_MS = 300_000;

/** Chunks that change what a reader waits for; the others are only more text (OBSV-08). */
const TEXT_ONLY = new Set<string>(['message-delta', 'message-started', 'message-metadata']);

/** The conversation cannot be resumed from where it was. */
class Rehydrate extends Error {}

export function observeConversation(
  transport: ConversationTransport,
  { live = 'sse', limit, signal }: Options = {},
  timing: ObserveTiming = systemObserveTiming,
): Observation {
  const listeners = new Set<() => void>();
  const partListeners = new Map<string, Set<Listener>>();
  const changes = partChanges();
  let waiting: PartChange[] = [];
  let view: ObservedConversation | undefined;
  let offset: string | undefined;
  let incarnation: string | undefined;
  let mustRead = true;
  /** what the conversation already held when it was first seen is state and no change */
  let wasAbsent = false;
  let snapshot: Snapshot = { conversation: undefined, offset: undefined, phase: 'loading', error: undefined };
  let loop: AbortController | undefined;
  let wake: (() => void) | undefined;
  let cancelFrame: (() => void) | undefined;
  const whole = new AbortController();

  function publish(phase: Phase = snapshot.phase, error?: Error): void {
    cancelFrame?.();
    cancelFrame = undefined;
    const conversation = view && offset !== undefined ? view.current(offset) : undefined;
    const isSame =
      snapshot.phase === phase && snapshot.error === error && snapshot.conversation === conversation;
    if (!isSame) {
      snapshot = { conversation, offset, phase, error };
      for (const listener of listeners) callSafely(listener);
    }
    const told = waiting;
    waiting = [];
    for (const change of told) tell(change);
  }

  function tell({ kind, name, part, messageId }: PartChange): void {
    const message = snapshot.conversation?.messages.find(({ id }) => id === messageId);
    const value = kind === 'tool' ? part : part.data;
    for (const listener of partListeners.get(`${kind} ${name}`) ?? [])
      callSafely(() => listener(value as never, message as never));
  }

  function listenToParts(kind: PartChange['kind'], name: string, listener: Listener): () => void {
    const key = `${kind} ${name}`;
    const group = partListeners.get(key) ?? new Set();
    partListeners.set(key, group.add(listener));
    start();
    return () => void group.delete(listener);
  }

  function hydrate(read: ConversationSnapshot): void {
    if (read.v !== 1) throw new FlueStreamError('PROTOCOL', read);
    const isFirst = view === undefined && !wasAbsent;
    view = observedConversation(read, transport.fileUrl, view);
    ({ offset, incarnation } = read);
    mustRead = false;
    const found = [...view.messages()].flatMap((message) => changes.in(message));
    if (!isFirst) waiting.push(...found);
  }

  /** One network read as a whole. Throws `Rehydrate` where it does not follow from what is there. */
  function receive(news: LiveNews): boolean {
    const applied = view as ObservedConversation;
    if (news.incarnation !== undefined && news.incarnation !== incarnation) throw new Rehydrate();
    let isBoundary = false;
    let isNew = false;
    for (const chunk of news.chunks) {
      // What has no position is progress that is never stored (CHNK-06).
      if (!('position' in chunk)) continue;
      const outcome = applyTo(applied, chunk);
      if (outcome === 'gap') throw new Rehydrate();
      if (outcome === 'known') continue;
      isNew = true;
      isBoundary ||= !TEXT_ONLY.has(chunk.type);
      for (const message of changedBy(chunk, applied)) waiting.push(...changes.in(message));
    }
    offset = news.offset ?? offset;
    if (isBoundary || (news.upToDate && snapshot.phase !== 'live'))
      publish(news.upToDate ? 'live' : snapshot.phase);
    else if (isNew) cancelFrame ??= timing.frame(() => publish());
    return isNew;
  }

  async function run(ended: AbortSignal): Promise<void> {
    let failures = 0;
    let refusals = 0;
    let blindEnds = 0;
    let pollingSince: number | undefined;
    while (!ended.aborted) {
      const isPolling = live === 'long-poll' || (pollingSince !== undefined && !mayStreamAgain(pollingSince));
      const began = timing.now();
      let wasOpened = false;
      let wasCovered = false;
      try {
        if (mustRead) {
          const read = await transport.history({ limit, signal: ended }, { refresh: refusals > 0 });
          if (ended.aborted) return;
          hydrate(read);
          refusals = 0;
          publish('connecting');
        }
        const end = await transport.follow({
          offset: offset as string,
          // A long poll answers when something happens; whether this is the head has to be known before.
          live: !isPolling ? 'sse' : snapshot.phase === 'live' ? 'long-poll' : 'page',
          signal: ended,
          timing,
          refresh: refusals > 0,
          opened: () => {
            wasOpened = true;
          },
          receive(news) {
            if (ended.aborted) return;
            wasCovered ||= news.offset !== undefined;
            refusals = 0;
            if (receive(news)) failures = 0;
          },
        });
        refusals = 0;
        if (isPolling && end.kind === 'page') continue;
        if (wasCovered) blindEnds = 0;
        if (end.kind === 'closing') {
          failures = 0;
          await pause(end.retryAfterMs, ended);
          continue;
        }
        failures += 1;
      } catch (error) {
        if (ended.aborted) return;
        failures += 1;
        const fault = faultOf(error);
        if (fault === 'refused') refusals += 1;
        if (fault === 'fatal' || refusals >= REFUSALS) return giveUp(error as Error);
        if (fault === 'absent') return beAbsent();
        if (fault === 'gone') {
          mustRead = true;
          // The first time at once; what goes on asking for it is no reason to hammer the server.
          if (failures === 1) continue;
        }
      }
      if (ended.aborted) return;
      if (!isPolling && wasOpened && !wasCovered && ++blindEnds >= BLIND_ENDS) {
        pollingSince = timing.now();
        blindEnds = 0;
      }
      if (timing.now() - began >= GOOD_LIFE_MS) failures = 1;
      if (snapshot.phase === 'live') publish('connecting');
      await pause(reconnectDelay(Math.max(1, failures), timing), ended);
    }
  }

  function mayStreamAgain(since: number): boolean {
    return timing.now() - since >= RETRY_STREAM_MS;
  }

  function giveUp(error: Error): void {
    publish('error', error);
  }

  function beAbsent(): void {
    wasAbsent = true;
    view = undefined;
    mustRead = true;
    publish('absent');
  }

  /** Ends early when the network is back, and when the loop ends. */
  function pause(ms: number, ended: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        ended.removeEventListener('abort', done);
        wake = undefined;
        resolve();
      };
      const cancel = timing.timer(ms, done);
      wake = done;
      if (ended.aborted) done();
      else ended.addEventListener('abort', done, { once: true });
    });
  }

  function start(): void {
    if (loop === undefined && !whole.signal.aborted) restart();
  }

  /** O3 */
  function restart(): void {
    loop?.abort();
    loop = new AbortController();
    void run(loop.signal);
  }

  const offline = timing.online(() => wake?.());

  function close(reason?: unknown): void {
    if (whole.signal.aborted) return;
    whole.abort(reason);
    loop?.abort();
    offline();
    publish('closed');
  }
  if (signal?.aborted) close(signal.reason);
  // Let go when it is closed: the caller's signal may outlive many observations.
  else signal?.addEventListener('abort', () => close(signal.reason), { signal: whole.signal });

  return {
    getSnapshot: () => snapshot,
    subscribe(listener) {
      listeners.add(listener);
      start();
      return () => void listeners.delete(listener);
    },
    onTool: (name, listener) => listenToParts('tool', name, listener),
    onData: (name, listener) => listenToParts('data', name, listener),
    refresh() {
      if (whole.signal.aborted) return;
      mustRead = true;
      publish('connecting');
      restart();
    },
    contacted() {
      if (snapshot.phase !== 'absent') return;
      publish('connecting');
      restart();
    },
    async loadOlder() {
      const cursor = view && snapshot.conversation?.window?.previousCursor;
      if (cursor === undefined) return;
      const page = await transport.history({ limit: limit ?? 50, before: cursor, signal: whole.signal });
      if (whole.signal.aborted || snapshot.conversation?.window?.previousCursor !== cursor) return;
      view?.prepend(page);
      for (const message of page.messages) changes.in(message);
      publish();
    },
    close,
  };
}

function changedBy(chunk: Chunk, view: ObservedConversation): Iterable<ConversationMessage> {
  if (TEXT_ONLY.has(chunk.type)) return [];
  if (chunk.type === 'conversation-reset') return view.messages();
  const id =
    chunk.type === 'message-appended' ? chunk.message.id : 'messageId' in chunk ? chunk.messageId : '';
  const message = view.message(id);
  return message ? [message] : [];
}

/** What does not even apply is as good as missing (OBSV-03). */
function applyTo(view: ObservedConversation, chunk: Chunk): 'applied' | 'known' | 'gap' {
  try {
    return view.apply(chunk);
  } catch {
    return 'gap';
  }
}

/** By its status, which errors of both transports carry. */
function faultOf(error: unknown): 'fatal' | 'refused' | 'absent' | 'gone' | 'passing' {
  if (error instanceof Rehydrate || error instanceof SyntaxError) return 'gone';
  if (error instanceof FlueStreamError && error.code === 'PROTOCOL') return 'fatal';
  const { status } = (error ?? {}) as { readonly status?: number };
  if (status === 400) return 'fatal';
  if (status === 401 || status === 403) return 'refused';
  if (status === 404) return 'absent';
  return status === 416 ? 'gone' : 'passing';
}

function callSafely(call: () => void): void {
  try {
    call();
  } catch (error) {
    console.error('[flue] a listener of an observation failed; the others go on.', error);
  }
}
