import type { Clock } from '../ports/clock.ts';
import type { FlueStore } from '../ports/store.ts';
import { isPersistenceError } from '../ports/store-errors.ts';

/** What an attempt asks of the store. */
export type AttemptStore = Pick<FlueStore, 'commit' | 'read' | 'submission' | 'attachment'>;

const PAUSES_MS = [50, 200, 1000, 5000] as const;

/**
 * A store that cannot work now is waited for: the attempt keeps its uncommitted batch and no further one is spent
 * (SQL-10, REC-14). A commit whose answer was lost is repeated as it was, so the store returns the first answer
 * (CMT-03). Past `until`, in epoch milliseconds, and for damage, the failure comes through.
 */
export function patientStore(store: AttemptStore, clock: Clock, until: number): AttemptStore {
  const wait = <T>(work: () => Promise<T>) => patiently(clock, until, work);
  return {
    commit: (fence, commit) => wait(() => store.commit(fence, commit)),
    read: (path, o) => wait(() => store.read(path, o)),
    submission: (submissionId) => wait(() => store.submission(submissionId)),
    attachment: (path, attachmentId) => wait(() => store.attachment(path, attachmentId)),
  };
}

/** Repeats `work` while the store cannot do it, with growing pauses. */
export function patiently<T>(clock: Clock, until: number, work: () => Promise<T>, failures = 0): Promise<T> {
  return work().catch(async (error: unknown) => {
    if (!isPersistenceError(error, 'busy', 'unavailable', 'full', 'readonly') || clock.now() >= until) {
      throw error;
    }
    await clock.sleep(PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)]!);
    return patiently(clock, until, work, failures + 1);
  });
}
