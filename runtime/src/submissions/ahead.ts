import type { BatchBuilder, Sink } from '../engine/sink.ts';

/** Adds decided units to a batch. */
export type Lead = (batch: BatchBuilder) => void;

/**
 * Units that were decided and wait for the next commit, so that they share it with what follows (RCD-40). They stay here
 * until that commit is durable: when it fails, the end of the attempt still carries them.
 */
export class Ahead {
  #units: Lead[] = [];

  add(unit: Lead): void {
    this.#units.push(unit);
  }

  /** Adds everything that waits to a batch. */
  readonly lead: Lead = (batch) => {
    for (const unit of this.#units) unit(batch);
  };

  /** What waited is durable. */
  clear(): void {
    this.#units = [];
  }

  /** Commits what waits by itself, before something that may take time or that must find it durable (RCD-41). */
  async commit(sink: Pick<Sink, 'write'>): Promise<void> {
    if (this.#units.length === 0) return;
    await sink.write(this.lead);
    this.clear();
  }
}
