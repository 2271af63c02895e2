import { CassetteMissError } from '../../ports/model-errors.ts';
import type { ModelEnd, ModelEvent, ModelRequest } from '../../ports/model-gateway.ts';
import { Redactor } from '../pi-ai/redactor.ts';
import { nearestEntry } from './difference.ts';
import { readTape, type TapeEntry, writeJson, writeTape } from './tape-file.ts';
import { mapStrings, type TapeRequest, tapeKey, tapeRequest } from './tape-request.ts';

/** `auto` replays what is stored and records the rest; where `CI` is set it is `replay` (CAS-01). */
export type TapeMode = 'record' | 'replay' | 'auto';

export interface TapeOptions {
  readonly file: string;
  readonly mode: TapeMode;
  /** takes what must not be stored out of every text of the file (CAS-06) */
  readonly redact?: (text: string) => string;
  /** frees a request of what differs from run to run, before it is hashed (CAS-03) */
  readonly normalize?: (request: TapeRequest) => TapeRequest;
  /** values of its credentials never reach the file (AUTH-05) */
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Live = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;

/**
 * The calls of one run on one file.
 *
 * T1  A stored entry is never changed; `record` begins with none.
 * T2  Equal requests take their entries in recorded order, then the last one again (CAS-04).
 * T3  Writes follow one another; the file holds used entries by first use, then those that were not used (CAS-06).
 */
export class Tape {
  readonly mode: TapeMode;
  readonly file: string;
  replayed = 0;
  recorded = 0;
  readonly #options: TapeOptions;
  readonly #redactor: Redactor;
  readonly #entries: TapeEntry[];
  readonly #used: TapeEntry[] = [];
  readonly #taken = new Map<string, number>();
  #writing: Promise<void> = Promise.resolve();

  private constructor(options: TapeOptions, entries: TapeEntry[]) {
    this.mode = options.mode;
    this.file = options.file;
    this.#options = options;
    this.#redactor = new Redactor(credentialsIn(options.env));
    this.#entries = entries;
  }

  static async open(options: TapeOptions): Promise<Tape> {
    return new Tape(options, options.mode === 'record' ? [] : await readTape(options.file));
  }

  /** One call: from the file, or by the model and into the file. Throws `CassetteMissError` (CAS-05). */
  async *play(
    request: ModelRequest,
    signal: AbortSignal,
    live: Live,
  ): AsyncGenerator<ModelEvent, void, undefined> {
    const plain = tapeRequest(request);
    const asked = this.#options.normalize?.(plain) ?? plain;
    const key = tapeKey(asked);
    const entry = this.mode === 'record' ? undefined : this.#take(key);
    if (entry) {
      this.replayed += 1;
      yield* entry.events;
      yield entry.end as ModelEnd;
      return;
    }
    if (this.mode === 'replay') throw await this.#miss(asked);
    const events: TapeEntry['events'][number][] = [];
    for await (const event of live(request, signal)) {
      if (event.type === 'end') {
        if (!signal.aborted && isWorthKeeping(event))
          await this.#keep({ key, request: asked, events, end: event });
      } else events.push(event);
      yield event;
    }
  }

  #take(key: string): TapeEntry | undefined {
    const equal = this.#entries.filter((entry) => entry.key === key);
    const taken = this.#taken.get(key) ?? 0;
    this.#taken.set(key, taken + 1);
    const entry = equal[Math.min(taken, equal.length - 1)];
    if (entry && !this.#used.includes(entry)) this.#used.push(entry);
    return entry;
  }

  /** What a provider said of a failure for the log alone stays out, and so does what names the key. */
  async #keep({ end, ...call }: TapeEntry & { readonly end: ModelEnd }): Promise<void> {
    const { cause: _cause, envVar: _envVar, retryAfterMs: _wait, ...rest } = end;
    const { redact = (text: string) => text } = this.#options;
    const { key, ...told } = { ...call, end: rest };
    const entry = { key, ...mapStrings(told, (text) => redact(this.#redactor.text(text))) };
    this.recorded += 1;
    this.#entries.push(entry);
    this.#used.push(entry);
    const idle = this.#entries.filter((one) => !this.#used.includes(one));
    const entries = [...this.#used, ...idle];
    this.#writing = this.#writing.then(() => writeTape(this.file, entries));
    await this.#writing;
  }

  async #miss(request: TapeRequest): Promise<CassetteMissError> {
    const nearest = nearestEntry(this.#entries, request);
    const told = mapStrings(request, (text) => this.#redactor.text(text));
    await writeJson(`${this.file}.miss.json`, {
      request: told,
      ...(nearest && { nearest: nearest.place, difference: nearest.difference.path }),
    });
    return new CassetteMissError({ file: this.file, entries: this.#entries.length, nearest });
  }
}

/** A failure that passes is nobody's idea of what the model says (CAS-07). */
function isWorthKeeping({ stop, fault }: ModelEnd): boolean {
  return stop !== 'aborted' && fault?.class !== 'transient';
}

const CREDENTIAL = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i;

function credentialsIn(env: TapeOptions['env']): string[] {
  return Object.entries(env).flatMap(([name, value]) => (value && CREDENTIAL.test(name) ? [value] : []));
}
