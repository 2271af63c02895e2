import { misuse } from '../../errors/flue-error.ts';
import type { JsonValue } from '../../ports/model-shapes.ts';
import { assertRecordable } from '../assert-recordable.ts';
import { cloneJson, equalJson } from '../json-value.ts';
import { currentUnit } from '../unit.ts';
import type { StateRead } from './frame.ts';
import { recordedValue } from './recorded-value.ts';

/** One write, as the record `state_written` keeps it (RCD-28). */
export interface StateWrite {
  readonly name: string;
  readonly value: JsonValue;
  /** the tool call that made it, whose batch's commit applies it; without one it holds as soon as it is recorded */
  readonly call?: string;
  /** with `call`: order of writing within the tool batch, from 1, going on over attempts */
  readonly n?: number;
  /** with `call`: the step in whose function it was made, with which it is recorded (STATE-09) */
  readonly step?: string;
}

/**
 * The state writes of one attempt.
 *
 * 1. A read sees the attempt's last write, whichever unit made it, else what was committed before (STATE-02).
 * 2. A unit's writes are taken once, to be recorded together with the unit (STATE-08). Those of an open call are its
 *    own; any other write, a late one of a settled call included, is a leftover for the next boundary (STC-01).
 * 3. The writes of an interrupted call, or of a seam that failed, never happened, so no other write may rely on one:
 *    equality with another unit's unsettled value is no reason to skip a write.
 * 4. A step's writes are recorded with the step. In a later execution of its call they are back from the step's replay
 *    on; what was written later counts as later when the batch commits (RCD-28).
 * 5. Values come in as snapshots and go out as copies: nobody outside shares an object with the buffer (STATE-03).
 */
export class StateBuffer {
  readonly #committed: (name: string) => StateRead;
  /** writes of open calls, and leftovers; in order of writing */
  #pending: Entry[] = [];
  /** the newest write of each name that is certain to hold */
  readonly #certain = new Map<string, Entry>();
  #openCalls = new Set<string>();
  /** recorded with steps of open calls, and not brought back yet */
  #replayable: Entry[] = [];
  #order = 0;
  #n = 0;
  #ended = false;

  /** @param committed the value that the conversation held when the attempt began; never mutated here */
  constructor(committed: (name: string) => StateRead) {
    this.#committed = committed;
  }

  /** The value in force, a copy (STATE-02, STATE-03). */
  read(name: string): StateRead {
    const { found, value } = this.#current(name);
    return { found, value: cloneJson(value) };
  }

  /**
   * Takes a value, or an updater of the value in force (STATE-05). A value equal to the current one adds nothing
   * (STATE-06). Throws for what JSON cannot hold, for `undefined` (STATE-04), for a value that no batch can hold (RCD-13),
   * and once the attempt has ended (STATE-10).
   */
  write(name: string, next: unknown): void {
    const setter = `The setter of state "${name}"`;
    if (this.#ended) {
      throw misuse(
        `${setter} was called after its attempt had ended, so nothing can store the value any more.`,
      );
    }
    const value = stored(setter, typeof next === 'function' ? next(this.read(name).value) : next);
    assertRecordable({ type: 'state_written', name, value });
    const call = this.#openCall();
    const { seam, step } = currentUnit() ?? {};
    const current = this.#current(name);
    const { entry } = current;
    const reliable =
      entry === undefined ||
      ((entry.call === undefined || entry.call === call) &&
        (entry.taken || entry.step === step) &&
        (entry.seam === undefined || entry.seam === seam));
    if (current.found && reliable && equalJson(current.value as JsonValue, value)) return;
    this.#pending.push({
      name,
      value,
      order: ++this.#order,
      ...(call !== undefined && { call, n: ++this.#n }),
      ...(call !== undefined && step !== undefined && { step }),
      ...(seam && { seam }),
    });
  }

  /**
   * A tool batch starts; `recorded` are writes of its calls that earlier attempts left and its commit will apply. Those
   * of calls that are open still were recorded with steps, and wait for their replay.
   */
  beginBatch(calls: Iterable<string>, recorded: readonly StateWrite[] = []): void {
    this.#openCalls = new Set(calls);
    const inOrder = [...recorded].sort((a, b) => (a.n ?? 0) - (b.n ?? 0));
    this.#n = inOrder.at(-1)?.n ?? 0;
    for (const write of inOrder) {
      const entry = { ...write, order: ++this.#order, taken: true };
      const isOpen = write.call !== undefined && this.#openCalls.has(write.call);
      (isOpen ? this.#replayable : this.#pending).push(entry);
    }
  }

  /**
   * Brings back what a call had recorded when the last of `steps` was. Code before the step has run again and may have
   * written the same names, after what is recorded by their count: those are then written once more, with the call.
   */
  replaySteps(call: string, steps: ReadonlySet<string>): void {
    const back = this.#replay(
      (entry) => entry.call === call && entry.step !== undefined && steps.has(entry.step),
    );
    const last = new Map(back.map(({ name, value }) => [name, value]));
    for (const [name, value] of last) {
      const { entry } = this.#current(name);
      if (entry?.taken) continue;
      this.#pending.push({ name, value, order: ++this.#order, call, n: ++this.#n });
    }
  }

  /** The writes of a step that is about to be recorded. */
  takeStep(call: string, step: string): StateWrite[] {
    const own = this.#pending.filter((entry) => isOfStep(entry, call, step) && !entry.taken);
    for (const entry of own) entry.taken = true;
    return own.map(toWrite);
  }

  /** The step failed or could not be recorded, so its writes never happened. */
  dropStep(call: string, step: string): void {
    this.#pending = this.#pending.filter((entry) => !isOfStep(entry, call, step));
  }

  /** Calls of a delegate, below one of the batch: what they write belongs to them as well. */
  openChildCalls(calls: Iterable<string>): void {
    for (const call of calls) this.#openCalls.add(call);
  }

  /** The writes of a call that is about to settle, or the leftovers: the caller records them now. */
  take(call?: string): StateWrite[] {
    if (call === undefined) return this.#takeLeftovers();
    this.#openCalls.delete(call);
    this.#replay((entry) => entry.call === call);
    // A step that is still under way is never recorded, and neither is what it wrote.
    this.#pending = this.#pending.filter(
      (entry) => entry.call !== call || entry.taken || entry.step === undefined,
    );
    const own = this.#pending.filter((entry) => entry.call === call && !entry.taken);
    for (const entry of own) entry.taken = true;
    return own.map(toWrite);
  }

  /** The call settled interrupted (STATE-08). */
  drop(call: string): void {
    this.#openCalls.delete(call);
    this.#replayable = this.#replayable.filter((entry) => entry.call !== call);
    this.#pending = this.#pending.filter((entry) => entry.call !== call);
  }

  /** The seam failed or was interrupted (SEAM-02); what was recorded of it, if it was, stays. */
  dropSeam(seam: object): void {
    this.#pending = this.#pending.filter((entry) => entry.seam !== seam);
  }

  /** The tool batch committed, and the recorded writes of its calls with it. */
  commitBatch(): void {
    for (const entry of this.#pending) if (entry.call !== undefined) this.#makeCertain(entry);
    this.#pending = this.#pending.filter((entry) => entry.call === undefined);
    this.#openCalls.clear();
  }

  /** The attempt is over: settled, aborted or superseded (STATE-10). */
  end(): void {
    this.#ended = true;
  }

  #replay(wanted: (entry: Entry) => boolean): Entry[] {
    if (this.#replayable.length === 0) return [];
    const back = this.#replayable.filter(wanted);
    this.#replayable = this.#replayable.filter((entry) => !back.includes(entry));
    this.#pending = [...this.#pending, ...back].sort((a, b) => a.order - b.order);
    return back;
  }

  #takeLeftovers(): StateWrite[] {
    const leftovers = this.#pending.filter((entry) => entry.call === undefined);
    this.#pending = this.#pending.filter((entry) => entry.call !== undefined);
    // A newer write that already holds must not be undone by recording an older one after it.
    const current = leftovers.filter((entry) => entry.order > (this.#certain.get(entry.name)?.order ?? 0));
    for (const entry of current) this.#makeCertain(entry);
    return current.map(toWrite);
  }

  #makeCertain(entry: Entry): void {
    const known = this.#certain.get(entry.name);
    if (!known || known.order < entry.order) {
      this.#certain.set(entry.name, {
        ...entry,
        call: undefined,
        seam: undefined,
        step: undefined,
        taken: true,
      });
    }
  }

  #current(name: string): StateRead & { readonly entry?: Entry } {
    const pending = this.#pending.findLast((entry) => entry.name === name);
    const certain = this.#certain.get(name);
    const entry =
      pending && certain ? (pending.order > certain.order ? pending : certain) : (pending ?? certain);
    return entry ? { found: true, value: entry.value, entry } : this.#committed(name);
  }

  #openCall(): string | undefined {
    const call = currentUnit()?.call;
    return call !== undefined && this.#openCalls.has(call) ? call : undefined;
  }
}

interface Entry {
  readonly name: string;
  readonly value: JsonValue;
  readonly call?: string | undefined;
  readonly n?: number;
  readonly step?: string | undefined;
  readonly seam?: object | undefined;
  /** over all writes of the attempt */
  readonly order: number;
  taken?: boolean;
}

function isOfStep(entry: Entry, call: string, step: string): boolean {
  return entry.call === call && entry.step === step;
}

function toWrite({ name, value, call, n, step }: Entry): StateWrite {
  return {
    name,
    value,
    ...(call !== undefined && { call }),
    ...(n !== undefined && { n }),
    ...(step !== undefined && { step }),
  };
}

function stored(setter: string, value: unknown): JsonValue {
  return recordedValue(setter, value, 'State cannot be unset: write null or another JSON value.', {
    unset: 'FLUE2406',
    notJson: 'FLUE2407',
  });
}
