import { parseOffset } from '../../ports/offset.ts';
import type { Checkpoint, StoredCheckpoint } from '../../ports/store.ts';
import { freeze } from './checkpoint/freeze.ts';
import { FOLD_FORMAT, type Frozen } from './checkpoint/frozen.ts';
import { thaw } from './checkpoint/thaw.ts';
import type { Conversation } from './state.ts';

export { fillBodies, missingBodies } from './bodies.ts';

/**
 * A checkpoint of the state as folded so far, to be committed with the last batch folded or prepared. Starts the count
 * of CKP-03 (`tail.batches`, `tail.bytes`) anew.
 */
export function toCheckpoint(state: Conversation): Checkpoint {
  const data = JSON.stringify(freeze(state));
  state.tail.batches = 0;
  state.tail.bytes = 0;
  return { foldFormat: FOLD_FORMAT, data };
}

/**
 * The state that a checkpoint holds; `undefined` when it is none: another format, another incarnation, or data that
 * cannot be read (CKP-01). Folding goes on after `tail.head`, which need not be the checkpoint's own offset; bodies are
 * missing until `fillBodies` was given what `missingBodies` asks for.
 */
export function fromCheckpoint(checkpoint: StoredCheckpoint, incarnation: string): Conversation | undefined {
  if (checkpoint.foldFormat !== FOLD_FORMAT || checkpoint.incarnation !== incarnation) return undefined;
  const at = parseOffset(checkpoint.offset);
  if (!at) return undefined;
  try {
    const frozen = JSON.parse(checkpoint.data) as Frozen;
    return frozen.head > at ? undefined : thaw(frozen, incarnation, at);
  } catch {
    return undefined;
  }
}
