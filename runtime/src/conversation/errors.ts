import { ERROR_TYPES } from '../contract/codes.ts';
import { FlueError } from '../errors/flue-error.ts';

/** What a batch may violate, each the reason of one invariant (RCD-50 to RCD-67). */
export type InvariantReason =
  | 'shape'
  | 'birth'
  | 'conversation'
  | 'delivery'
  | 'move'
  | 'host'
  | 'turn'
  | 'draft'
  | 'content'
  | 'stop'
  | 'call'
  | 'message_open'
  | 'batch_open'
  | 'signal'
  | 'seam'
  | 'data'
  | 'resources'
  | 'compaction'
  | 'settlement';

/**
 * A record contradicts what the conversation's earlier records say (RCD-68). In a batch about to be committed it is a
 * fault of the engine, and costs one submission; in a stored one the stream cannot be folded (REC-13).
 */
export class ConversationRecordInvariantError extends FlueError {
  declare readonly meta: { recordId: string; recordType: string; reason: InvariantReason };
  /** the record is of a form that this version does not know, so a newer neighbor may have written it (RCD-07) */
  readonly foreign: boolean;

  constructor(violation: {
    readonly recordId: string;
    readonly recordType: string;
    readonly reason: InvariantReason;
    /** half a sentence for the developer: what contradicts what */
    readonly explanation: string;
    readonly foreign?: boolean;
  }) {
    const { recordId, recordType, reason, explanation, foreign = false } = violation;
    super({
      type: ERROR_TYPES.ConversationRecordInvariantError,
      message: 'The conversation contains a record that contradicts its earlier records.',
      details: `Record ${recordId} (${recordType}) breaks the invariant "${reason}".`,
      dev: `${recordType} ${recordId}: ${explanation}.`,
      meta: { recordId, recordType, reason },
    });
    this.foreign = foreign;
  }
}
