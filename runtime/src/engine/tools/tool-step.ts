import type { RuleCode } from '../../contract/codes.ts';
import { LIMITS } from '../../contract/limits.ts';
import { misuse } from '../../errors/flue-error.ts';
import type { JsonValue } from '../../ports/model-shapes.ts';
import { assertRecordable } from '../assert-recordable.ts';
import { cloneJson, NotJsonError, snapshotJson } from '../json-value.ts';
import type { FlueLogger } from '../logger.ts';

/** The steps of a durable tool's call. */
export interface ToolStep {
  /**
   * Runs `fn` once for this name and call, and resolves with its value once that is recorded. When the call is executed
   * again after an interruption, the recorded value is returned and `fn` does not run (STEP-01). Both times the value is
   * its JSON copy (STEP-05). A crash between `fn` and the record runs `fn` again (STEP-02).
   *
   * Rejects with what `fn` throws, for a name that is empty or was used in this call (STEP-03), for a value that JSON
   * cannot hold (STEP-04) or no batch can (DTL-08), and once the call has settled (TCALL-20).
   */
  do<T>(name: string, fn: () => T | Promise<T>): Promise<T>;
}

/** What a step left; `undefined` is stored as `null` with a mark (DTL-02). */
export interface StepValue {
  readonly value: JsonValue;
  readonly isUndefined: boolean;
}

/** Where the steps of one call are kept over its executions. */
export interface StepJournal {
  /** What an earlier execution recorded; its state writes are back from then on (STATE-09). */
  replay(name: string): StepValue | undefined;
  /** Resolves when a step may start; rejects when this process may start nothing any more (OWN-07). */
  mayStart(): Promise<void>;
  /** Runs `fn` in the scope to which its state writes belong. */
  within<T>(name: string, fn: () => T): T;
  /** Makes the value durable, with the state writes of its `fn`. */
  record(name: string, value: StepValue): Promise<void>;
  /** `fn` threw, or its value cannot be recorded: what it wrote to state never happened. */
  drop(name: string): void;
}

/** A call outside any conversation: the same semantics, and nothing is recorded (STEP-10). */
export const NO_JOURNAL: StepJournal = {
  replay: () => undefined,
  mayStart: async () => {},
  within: (_name, fn) => fn(),
  record: async () => {},
  drop: () => {},
};

export interface StepScope {
  readonly journal: StepJournal;
  readonly signal: AbortSignal;
  readonly log: FlueLogger;
  /** the call has settled, or was given up */
  readonly isOver: () => boolean;
}

export function createToolStep(scope: StepScope): ToolStep {
  const used = new Set<string>();

  async function perform(name: string, fn: () => unknown): Promise<StepValue> {
    const { journal, signal } = scope;
    await journal.mayStart();
    // Nothing starts for a call that has to end.
    signal.throwIfAborted();
    assertOpen(name);
    let left: StepValue;
    try {
      left = stepValue(name, await journal.within(name, fn));
      assertOpen(name);
      await journal.record(name, left);
    } catch (error) {
      journal.drop(name);
      throw error;
    }
    warnOfSize(name, left.value);
    return left;
  }

  function assertOpen(name: string): void {
    if (!scope.isOver()) return;
    throw misuse(
      `step "${name}": the call that it belongs to has settled, so nothing can record it. Await every step in run().`,
      'FLUE3105',
    );
  }

  function warnOfSize(name: string, value: JsonValue): void {
    const text = JSON.stringify(value);
    if (text.length * 3 <= LIMITS.stepValueWarnBytes) return;
    const bytes = Buffer.byteLength(text);
    if (bytes <= LIMITS.stepValueWarnBytes) return;
    const advice = 'Return a reference to it instead of the content.';
    scope.log.warn(`step "${name}" recorded ${bytes} bytes. ${advice}`, { step: name, bytes });
  }

  return Object.freeze({
    async do<T>(name: string, fn: () => T | Promise<T>): Promise<T> {
      assertName(name, fn, used);
      assertOpen(name);
      used.add(name);
      const replayed = scope.journal.replay(name);
      const left = replayed ?? (await perform(name, fn));
      scope.log.info(`step "${name}" ${replayed ? 'replayed' : 'completed'}`, { step: name });
      return (left.isUndefined ? undefined : cloneJson(left.value)) as T;
    },
  });
}

function assertName(name: unknown, fn: unknown, used: ReadonlySet<string>): void {
  if (typeof name !== 'string' || name === '' || typeof fn !== 'function') {
    throw misuse('step.do() takes a name that is not empty, and a function.', 'FLUE3101');
  }
  if (!used.has(name)) return;
  throw misuse(
    `step "${name}" was used in this call before. Every step of a call has a name of its own: put what differs into it.`,
    'FLUE3102',
  );
}

function stepValue(name: string, returned: unknown): StepValue {
  if (returned === undefined) return { value: null, isUndefined: true };
  const value = jsonOf(name, returned);
  assertRecordable({ type: 'step_recorded', name, value });
  return { value, isUndefined: false };
}

const NOT_JSON: RuleCode = 'FLUE3107';

function jsonOf(name: string, returned: unknown): JsonValue {
  try {
    return snapshotJson(returned, 'value');
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    throw misuse(`step "${name}": ${error.message}`, NOT_JSON, { cause: error });
  }
}
