import type { EventBody, RecoveryOperation } from '../engine/events/event.ts';
import type { Events } from '../engine/events/events.ts';
import { FlueError } from '../errors/flue-error.ts';
import type { Clock } from '../ports/clock.ts';
import { isPersistenceError } from '../ports/store-errors.ts';
import type { FlueRuntime } from './runtime.ts';

const QUIET_MS = 60_000;

/** Takes a failure that the runtime goes on after; `about` holds its operation, and its submission and attempt. */
export type ContainFailure = (
  error: unknown,
  about: Readonly<Record<string, unknown>>,
  /** the emitting context that it belongs to; without one, the process's own */
  events?: Events,
) => void;

/**
 * One log line for each contained failure (REC-15). What repeats itself is told once a minute, with how often it was
 * not told; a store that refuses to work is one failure, whatever meets it (SQL-13).
 */
export function createContainedFailures(o: {
  readonly clock: Clock;
  readonly logFailure: FlueRuntime['logFailure'];
  /** of failures that belong to no instance */
  readonly events: Events;
}): ContainFailure {
  const told = new Map<string, { readonly at: number; skipped: number }>();

  return (error, about, events = o.events) => {
    const now = o.clock.now();
    const key = keyOf(error, about);
    const last = told.get(key);
    if (last && now - last.at < QUIET_MS) {
      last.skipped += 1;
      return;
    }
    for (const [old, { at }] of told) if (now - at >= QUIET_MS) told.delete(old);
    told.set(key, { at: now, skipped: 0 });
    o.logFailure(error, { ...about, ...(last && last.skipped > 0 && { repeated: last.skipped }) });
    if (events.wants('submission_recovery')) events.emit(recoveryOf(error, about, events));
  };
}

/** The runtime goes on, so the work is put off; only an owner that was superseded has no part in it any more (OWN-05). */
function recoveryOf(
  error: unknown,
  { operation, attempt }: Readonly<Record<string, unknown>>,
  events: Events,
): EventBody {
  const { submissionId } = events.place;
  return {
    type: 'submission_recovery',
    ...(submissionId !== undefined && { submissionId }),
    operation: OPERATIONS[String(operation)] ?? 'reconcile_pass',
    outcome: FlueError.is(error, 'ownership_lost') ? 'terminated' : 'deferred',
    ...(typeof attempt === 'number' && { attemptCount: attempt }),
    error: events.eventError(error),
    errorInfo: events.errorInfo(error),
  };
}

/** What the log names more closely than EVT-13 does. */
const OPERATIONS: { readonly [operation: string]: RecoveryOperation | undefined } = {
  admit: 'materialize_submission',
  process_submission: 'process_submission',
  stop_queued: 'finalize_settlement',
};

/** Equal for failures of which one line says everything; the number of an attempt is not part of it. */
function keyOf(error: unknown, { operation, submission }: Readonly<Record<string, unknown>>): string {
  if (isPersistenceError(error)) return `store ${error.meta?.reason}`;
  const what = FlueError.is(error) ? error.type : textOf(error);
  return [operation, submission, what].map(String).join('\n');
}

function textOf(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'an error that cannot be read'; // OBS-04
  }
}
