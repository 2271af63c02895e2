import type { Clock } from '../../ports/clock.ts';
import { createLogger, type FlueLogger, type LogLine } from '../logger.ts';
import { errorInfo, eventError } from './error-info.ts';
import type {
  Correlation,
  ErrorInfo,
  EventBody,
  EventError,
  FlueEventContext,
  FlueEventType,
  FlueObservation,
} from './event.ts';
import { applicationRedaction, deliver, isWanted, type Subscriber } from './observe.ts';
import { type Redact, type Redaction, scrub } from './scrub.ts';

/** What the runtime gives to everything that emits. */
export interface EventPorts {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What brought a submission, if it came over HTTP to this process and somebody observed (OBV-06). */
  readonly requestOf: (submissionId: string) => Request | undefined;
  /** What takes credentials out of a text now (AUTH-05). */
  readonly redact: () => Redact;
  /** Prints a line of log where the environment asks for it (LOGE-05). */
  readonly print: (line: LogLine) => void;
}

/** Equal failures of one subscriber are logged this often at most (OBV-03). */
const QUIET_MS = 60_000;

/**
 * One emitting context, such as an attempt: its events count up (OBV-04) and say where they belong. Whoever emits asks
 * `wants` first, so that nothing is built for nobody (OBV-05).
 */
export class Events {
  readonly place: Correlation;
  readonly #ports: EventPorts;
  readonly #counter: { next: number };

  constructor(ports: EventPorts, place: Correlation, counter = { next: 0 }) {
    this.#ports = ports;
    this.place = place;
    this.#counter = counter;
  }

  /** The same context, further inside. */
  within(place: Correlation): Events {
    return new Events(this.#ports, { ...this.place, ...place }, this.#counter);
  }

  wants(type: FlueEventType): boolean {
    return isWanted(type);
  }

  now(): number {
    return this.#ports.clock.now();
  }

  /** A failure as observers see it. */
  errorInfo(thrown: unknown): ErrorInfo {
    return errorInfo(thrown, this.#ports.redact());
  }

  /** A failure in the shape that is recorded. */
  eventError(thrown: unknown): EventError {
    return eventError(thrown, this.#ports.redact());
  }

  emit(body: EventBody): void {
    if (isWanted(body.type)) this.#emit(body, []);
  }

  /** A line without credentials and without what the application masks, as it may leave this process. */
  scrubbed(line: LogLine): LogLine {
    return scrub(line, withApplication(this.#ports.redact())) as LogLine;
  }

  /** A line of log: printed where asked for, and an event (LOGE-01, LOGE-04). */
  readonly log = (line: LogLine): void => this.#log(line, []);

  #log(line: LogLine, except: readonly Subscriber[]): void {
    this.#ports.print(line);
    const { level, message, attributes } = line;
    const hasAttributes = Object.keys(attributes).length > 0;
    if (isWanted('log', except)) {
      this.#emit({ type: 'log', level, message, ...(hasAttributes && { attributes }) }, except);
    }
  }

  #emit(body: EventBody, except: readonly Subscriber[]): void {
    const observation: Record<string, unknown> = {
      v: 3,
      type: body.type,
      eventIndex: this.#counter.next++,
      timestamp: isoTime(this.#ports.clock.now()),
    };
    const redact = this.#ports.redact();
    for (const [key, name] of Object.entries(this.place)) observation[key] = redact(name);
    addScrubbed(observation, body, redact);
    deliver({
      observation: Object.freeze(observation) as unknown as FlueObservation,
      except,
      contextFor: (subscriber) => new SubscriberContext(this, this.#ports, subscriber, except),
      failed: (subscriber, error) => this.#subscriberFailed(subscriber, error, except),
    });
  }

  /** A line of a subscriber, which neither it nor those whose lines it answers get back (OBV-06). */
  logOf(line: LogLine, except: readonly Subscriber[]): void {
    this.#log(line, except);
  }

  /** Logged for everybody but the one that failed, and those whose lines made it fail. */
  #subscriberFailed(subscriber: Subscriber, error: unknown, except: readonly Subscriber[]): void {
    const { type, name, message } = this.errorInfo(error);
    const key = `${type}\n${message}`;
    const now = this.now();
    const told = toldFailures.get(subscriber) ?? new Map<string, number>();
    toldFailures.set(subscriber, told);
    const last = told.get(key);
    if (last !== undefined && now - last < QUIET_MS) return;
    for (const [old, at] of told) if (now - at >= QUIET_MS) told.delete(old);
    told.set(key, now);
    const failure = { type, ...(name !== undefined && { name }), ...(message !== undefined && { message }) };
    const line: LogLine = {
      level: 'error',
      message: '[flue:observe] A subscriber failed.',
      attributes: { error: failure },
    };
    this.#log(line, [...except, subscriber]);
  }
}

/** Names and numbers by which observers tell things apart: no text of anybody, so the application masks none of it. */
const STRUCTURE = new Set([
  ...['submissionId', 'kind', 'operation', 'operationId', 'operationKind', 'outcome', 'turnId'],
  ...['purpose', 'reason', 'toolCallId', 'toolName', 'taskId', 'recordId', 'level', 'origin', 'agent'],
]);

/** Where what an observation tells comes to be: credentials go everywhere, then what the application masks. */
function addScrubbed(observation: Record<string, unknown>, body: EventBody, redact: Redact): void {
  const all = withApplication(redact);
  const plain = alone(redact);
  for (const key of Object.keys(body)) {
    if (key === 'type') continue;
    const value: unknown = body[key as keyof EventBody];
    if (value !== undefined) observation[key] = scrub(value, STRUCTURE.has(key) ? plain : all);
  }
}

/** Copies are kept by what made them, so the same functions have to make the same one. */
const redactions = new WeakMap<Redact, { readonly plain: Redaction; masked?: Masked }>();
interface Masked {
  readonly mask: Redact;
  readonly redaction: Redaction;
}

function redactionsOf(redact: Redact) {
  const known = redactions.get(redact);
  if (known) return known;
  const made: { readonly plain: Redaction; masked?: Masked } = { plain: { text: redact, name: redact } };
  redactions.set(redact, made);
  return made;
}

/** Credentials alone. */
function alone(redact: Redact): Redaction {
  return redactionsOf(redact).plain;
}

/** Of texts also what the application masks. */
function withApplication(redact: Redact): Redaction {
  const mask = applicationRedaction();
  const known = redactionsOf(redact);
  if (!mask) return known.plain;
  if (known.masked?.mask !== mask) {
    known.masked = { mask, redaction: { text: (text) => mask(redact(text)), name: redact } };
  }
  return known.masked.redaction;
}

/** Made for each subscriber: what it logs does not come back to it. */
class SubscriberContext implements FlueEventContext {
  readonly #events: Events;
  readonly #ports: EventPorts;
  readonly #except: readonly Subscriber[];
  readonly #subscriber: Subscriber;
  #log: FlueLogger | undefined;

  constructor(events: Events, ports: EventPorts, subscriber: Subscriber, except: readonly Subscriber[]) {
    this.#events = events;
    this.#ports = ports;
    this.#subscriber = subscriber;
    this.#except = except;
  }

  get id(): string {
    return this.#events.place.instanceId ?? '';
  }

  get agentName(): string | undefined {
    return this.#events.place.agentName;
  }

  get env(): EventPorts['env'] {
    return this.#ports.env;
  }

  get req(): Request | undefined {
    const { submissionId } = this.#events.place;
    return submissionId === undefined ? undefined : this.#ports.requestOf(submissionId);
  }

  get log(): FlueLogger {
    const except = [...this.#except, this.#subscriber];
    this.#log ??= createLogger((line) => this.#events.logOf(line, except), {});
    return this.#log;
  }
}

let lastTime = Number.NaN;
let lastIso = '';

/** Many events share a millisecond, and writing it out costs as much as all the rest of one. */
function isoTime(now: number): string {
  if (now !== lastTime) {
    lastTime = now;
    lastIso = new Date(now).toISOString();
  }
  return lastIso;
}

const toldFailures = new WeakMap<Subscriber, Map<string, number>>();
