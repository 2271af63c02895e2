import { fillBodies, fromCheckpoint, missingBodies } from '../conversation/fold/checkpoint.ts';
import { numberOf } from '../conversation/fold/fold.ts';
import { type Conversation, emptyConversation } from '../conversation/fold/state.ts';
import type { Claim } from '../ports/store.ts';
import { foldOwn, type OwnAdmissions } from './own-admissions.ts';
import type { AttemptStore } from './patient-store.ts';
import type { Residents } from './residents.ts';
import { readTail } from './stream-writer.ts';

/**
 * The folded state of an instance at its head: from memory, else from its checkpoint, else from the first record; then
 * what came since, and the bodies that the next model call needs (CKP-05).
 */
export async function openState(
  store: AttemptStore,
  { residents, own }: { readonly residents: Residents; readonly own: OwnAdmissions },
  { row, view: { instance, checkpoint } }: Pick<Claim, 'row' | 'view'>,
): Promise<Conversation> {
  const { path, incarnation } = instance;
  const resident = residents.take(path, incarnation);
  const stored = resident ? undefined : checkpoint && fromCheckpoint(checkpoint, incarnation);
  const state = resident ?? stored ?? emptyConversation(incarnation);
  foldOwn(state, row, own.take(row.submissionId));
  // What is admitted after the claim is looked for at a boundary, or stands before the next batch (RCD-44).
  if (state.tail.head < numberOf(instance.head)) await readTail(store, path, state);
  // A checkpoint holds places instead of bodies; a state that was folded from records has them.
  if (stored) await readBodies(store, path, state);
  return state;
}

/** One read returns a bounded number of bytes, so what is missing is asked for until nothing more comes (QRY-05). */
async function readBodies(store: AttemptStore, path: string, state: Conversation): Promise<void> {
  for (let missing = missingBodies(state); missing.length > 0; ) {
    for (const range of missing) fillBodies(state, (await store.read(path, range)).batches);
    const left = missingBodies(state);
    if (JSON.stringify(left) === JSON.stringify(missing)) return;
    missing = left;
  }
}
