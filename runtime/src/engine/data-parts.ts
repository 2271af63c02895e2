import { dataPart } from '../conversation/fold/queries.ts';
import type { NewRecord } from '../conversation/records/index.ts';
import { misuse } from '../errors/flue-error.ts';
import type { JsonValue } from '../ports/model-shapes.ts';
import { assertRecordable } from './assert-recordable.ts';
import type { BatchBuilder, Sink } from './sink.ts';

/**
 * What one attempt writes for clients.
 *
 * 1. Before the response's first completed model step a write waits, and goes with that step (DATA-05): the reader has
 *    no message yet to put the part into. Afterwards it is appended at once, in call order (DATA-04).
 * 2. Its place is decided when its batch is built, since a message may be streaming into the next ones (RCD-15).
 */
export class DataParts {
  readonly #sink: Sink;
  readonly #host: string;
  readonly #held: { readonly name: string; readonly data: JsonValue }[] = [];
  #appended: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(sink: Sink, host: string) {
    this.#sink = sink;
    this.#host = host;
  }

  /** Throws once the response has ended (DATA-06), and for a value that no batch can hold (RCD-13). */
  write(name: string, data: JsonValue): void {
    if (this.#ended) {
      throw misuse(
        `The writer of data part "${name}" was called after its response had ended, so no client can get the value.`,
      );
    }
    assertRecordable({ type: 'data_written', name, data });
    if (this.#waits()) {
      this.#held.push({ name, data });
      return;
    }
    const append = this.#sink.write((batch) => batch.add([this.#record(name, data)]));
    // Observed where the response asks for it, not where it happened.
    this.#appended = Promise.all([this.#appended, append]).then(() => {});
    this.#appended.catch(() => {});
  }

  /** Adds a message, and what waited for it if it is the first completed step. */
  follow(batch: BatchBuilder, message: NewRecord): void {
    const waiting = this.#waits();
    batch.add([message]);
    if (!waiting || this.#waits()) return;
    for (const { name, data } of this.#held) batch.add([this.#record(name, data)]);
  }

  /** Resolves once all that was written is durable; rejects when an append failed (DATA-06). */
  flushed(): Promise<void> {
    return this.#appended;
  }

  end(): void {
    this.#ended = true;
  }

  #waits(): boolean {
    return (this.#sink.state.response?.completedSteps ?? 0) === 0;
  }

  #record(name: string, data: JsonValue): NewRecord {
    const part = dataPart(this.#sink.state, name);
    return { type: 'data_written', submissionId: this.#host, name, data, part };
  }
}
