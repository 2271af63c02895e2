import { type ReplyContent, ReplyFold } from '../conversation/projections/reply.ts';
import type { ConversationRecord, SubmissionSettled } from '../conversation/records/index.ts';

/** What a submission came to, out of records that this process wrote. They are in use: no value of them may be changed. */
export interface Told {
  readonly record: SubmissionSettled;
  /** what its response answered, when all of it was heard */
  readonly content: ReplyContent | undefined;
}

/** Tells local waiters at once of what this process settles; everyone else hears of it through the store. */
export interface Settlements {
  /**
   * Hears every durable batch of an attempt.
   * @param o.isFirst whether the attempt is the one that takes its submission up, so that nothing was recorded before
   */
  committed(records: readonly ConversationRecord[], o: { readonly isFirst: boolean }): void;
  /** Calls `fn` once when it is settled here; the returned function gives the wait up. */
  once(submissionId: string, fn: (told: Told) => void): () => void;
}

interface Waiting {
  readonly fns: Set<(told: Told) => void>;
  reply: ReplyFold | undefined;
}

export function createSettlements(): Settlements {
  const waiting = new Map<string, Waiting>();

  function hear(record: ConversationRecord, isFirst: boolean): void {
    const submissionId = record.submissionId;
    const one = submissionId === undefined ? undefined : waiting.get(submissionId);
    if (!one) return;
    if (record.type === 'submission_moved') {
      const begins = record.to === 'running' && isFirst;
      one.reply = begins ? new ReplyFold(record.submissionId) : undefined;
    }
    one.reply?.take(record);
    if (record.type !== 'submission_settled') return;
    waiting.delete(record.submissionId);
    const told = { record, content: one.reply?.content() };
    for (const fn of one.fns) fn(told);
  }

  return {
    committed(records, { isFirst }) {
      if (waiting.size === 0) return;
      for (const record of records) hear(record, isFirst);
    },
    once(submissionId, fn) {
      const one = waiting.get(submissionId) ?? { fns: new Set(), reply: undefined };
      waiting.set(submissionId, one);
      one.fns.add(fn);
      return () => {
        one.fns.delete(fn);
        if (one.fns.size === 0 && waiting.get(submissionId) === one) waiting.delete(submissionId);
      };
    },
  };
}
