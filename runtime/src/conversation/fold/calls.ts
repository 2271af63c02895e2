import type { CallSettled, ConversationRecord } from '../records/index.ts';
import type { Held, ToolBatch } from './state.ts';

/** The body of a record that the fold needs; a state loaded from a checkpoint is filled before it is used (I2). */
export function bodyOf<R extends ConversationRecord>(held: Held<R>): R {
  if (held.record) return held.record;
  throw new Error(
    `The body of record ${held.index} of batch ${held.batch} is not in memory. ` +
      'Read what missingBodies() lists and hand it to fillBodies() before folding or composing on a loaded state.',
  );
}

/** The argument text of one call of an open or just committed tool batch. */
export function argumentsOf(batch: ToolBatch, call: string): string {
  for (const part of bodyOf(batch.message).content) {
    if (part.type === 'call' && part.id === call) return part.args;
  }
  return '';
}

/** Stands in an error result, as a part of its own, once a call keeps failing in the same way (TURN-18). */
export const REPEATED_FAILURE =
  'This call has failed in the same way several times in a row. Do not repeat it: change its arguments, or go on without it.';

/** How a call failed, as text that is equal for equal failures (TURN-18). */
export function failureOf(outcome: Pick<CallSettled, 'output' | 'content'>): string {
  if (!outcome.content) return JSON.stringify(outcome.output);
  return outcome.content
    .filter((part) => part.type !== 'text' || part.text !== REPEATED_FAILURE)
    .map((part) => (part.type === 'text' ? part.text : part.attachment.digest))
    .join('\n');
}
