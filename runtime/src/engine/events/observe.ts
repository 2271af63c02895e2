import { misuse } from '../../errors/flue-error.ts';
import { unknownField } from '../../errors/unknown-field.ts';
import type { FlueEventContext, FlueEventType, FlueObservation, FlueObservationSubscriber } from './event.ts';
import type { Redact } from './scrub.ts';

/**
 * The subscribers of this process, and the order in which they hear of things.
 *
 * O1  A subscription belongs to the process: it stands on the global object, so that every bundle of the process and
 *     every runtime that it starts have the same ones.
 * O2  An observation that a subscriber causes waits until all have got the one before it, so that each of them sees a
 *     context's events in their order (OBV-04).
 * O3  Nothing of a subscriber comes back to whoever emits: no value, no throw, no rejection (OBV-02, OBV-03).
 */
export interface Subscriber {
  readonly call: FlueObservationSubscriber;
  /** absent: all of them */
  readonly types: ReadonlySet<string> | undefined;
  active: boolean;
}

/** One observation on its way. */
export interface Delivery {
  readonly observation: FlueObservation;
  /** those who caused it do not get it back (OBV-06) */
  readonly except: readonly Subscriber[];
  readonly contextFor: (subscriber: Subscriber) => FlueEventContext;
  readonly failed: (subscriber: Subscriber, error: unknown) => void;
}

interface Observers {
  subscribers: readonly Subscriber[];
  /** what `configureRedaction()` was given */
  redact: Redact | undefined;
  readonly waiting: Delivery[];
  delivering: boolean;
}

const KEY = Symbol.for('@flue/runtime.observers');
const holder = globalThis as { [KEY]?: Observers };
holder[KEY] ??= { subscribers: [], redact: undefined, waiting: [], delivering: false };
const observers = holder[KEY];

/**
 * Calls `subscriber` for what every agent of this process does from now on, where it happens and without waiting for it
 * (OBV-01..OBV-05). An observation is frozen and shared by all subscribers. There is no history.
 *
 * @param options.types only these event types; others are not even built for it
 * @returns ends the subscription; calling it again does nothing
 */
export function observe(
  subscriber: FlueObservationSubscriber,
  options: { types?: readonly string[] } = {},
): () => void {
  if (typeof subscriber !== 'function') {
    throw misuse(`observe() takes a function, not ${describe(subscriber)}.`);
  }
  const added: Subscriber = { call: subscriber, types: typesOf(options), active: true };
  observers.subscribers = [...observers.subscribers, added];
  return () => {
    added.active = false;
    observers.subscribers = observers.subscribers.filter((one) => one !== added);
  };
}

function typesOf(options: { types?: readonly string[] }): ReadonlySet<string> | undefined {
  if (typeof options !== 'object' || options === null) {
    throw misuse(`observe(): the options must be an object, not ${describe(options)}.`);
  }
  const unknown = unknownField(options, ['types'], 'option');
  if (unknown) throw misuse(`observe() ${unknown}`);
  const { types } = options;
  if (types === undefined) return undefined;
  if (!Array.isArray(types) || types.some((type) => typeof type !== 'string')) {
    throw misuse("observe(): types must be a list of event types, such as ['tool', 'submission_settled'].");
  }
  return new Set(types);
}

function describe(value: unknown): string {
  return value === null ? 'null' : typeof value;
}

/**
 * Passes the texts of `log`, `tool`, `turn*` and `message*` observations through `redact`, after credentials were taken
 * out of them; what the model reads is never changed (SCRUB-04). It replaces a function that was given before. To be
 * called in a `setup` module. Where it throws, the text is replaced as a whole.
 */
export function configureRedaction(redact: Redact): void {
  if (typeof redact !== 'function') {
    throw misuse(`configureRedaction() takes a function, not ${describe(redact)}.`);
  }
  observers.redact = (text) => {
    try {
      return String(redact(text));
    } catch {
      return REDACTION_FAILED;
    }
  };
}

/** What the application wants masked, if anything. Never throws. */
export function applicationRedaction(): Redact | undefined {
  return observers.redact;
}

const REDACTION_FAILED = '[redacted: the function of configureRedaction() threw]';

/** Asked before anything is built: without a subscriber an event costs this (OBV-05). */
export function isObserved(): boolean {
  return observers.subscribers.length > 0;
}

/** Whether somebody besides `except` would get events of this type. */
export function isWanted(type: FlueEventType, except: readonly Subscriber[] = []): boolean {
  return observers.subscribers.some((one) => wants(one, type, except));
}

function wants(one: Subscriber, type: string, except: readonly Subscriber[]): boolean {
  return (one.types === undefined || one.types.has(type)) && !except.includes(one);
}

export function deliver(delivery: Delivery): void {
  if (observers.delivering) {
    observers.waiting.push(delivery); // O2
    return;
  }
  observers.delivering = true;
  try {
    for (let next: Delivery | undefined = delivery; next; next = observers.waiting.shift()) tell(next);
  } finally {
    observers.delivering = false;
  }
}

function tell(delivery: Delivery): void {
  const { observation, except, contextFor } = delivery;
  for (const subscriber of observers.subscribers) {
    if (!subscriber.active || !wants(subscriber, observation.type, except)) continue;
    try {
      const returned: unknown = subscriber.call(observation, contextFor(subscriber));
      if (typeof returned !== 'object' || returned === null) continue;
      Promise.resolve(returned).catch((error: unknown) => report(delivery, subscriber, error));
    } catch (error) {
      report(delivery, subscriber, error);
    }
  }
}

function report({ failed }: Delivery, subscriber: Subscriber, error: unknown): void {
  try {
    failed(subscriber, error);
  } catch {
    // Where not even the log can be written, nobody is left to tell (O3).
  }
}
