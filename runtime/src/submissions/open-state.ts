import { fillBodies, fromCheckpoint, missingBodies } from '../conversation/fold/checkpoint.ts';
import { type Conversation, emptyConversation } from '../conversation/fold/state.ts';
import type { FlueStore, InstanceView } from '../ports/store.ts';
import type { Residents } from './residents.ts';
import { readTail } from './stream-writer.ts';

/**
 * The folded state of an instance at its head: from memory, else from its checkpoint, else from the first record; then
 * what came since, and the bodies that the next model call needs (CKP-05).
 */
export async function openState(
  store: FlueStore,
  residents: Residents,
  { instance, checkpoint }: InstanceView,
): Promise<Conversation> {
  const { path, incarnation } = instance;
  const state =
    residents.take(path, incarnation) ??
    (checkpoint && fromCheckpoint(checkpoint, incarnation)) ??
    emptyConversation(incarnation);
  await readTail(store, path, state);
  for (const range of missingBodies(state)) fillBodies(state, (await store.read(path, range)).batches);
  return state;
}
