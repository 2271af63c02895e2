import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatOffset } from '../../ports/offset.ts';
import { ConversationRecordInvariantError } from '../errors.ts';
import { type ConversationRecord, stamp } from '../records/index.ts';
import { converge } from './converge.ts';
import { folded, killedExample, replyExample } from './fixtures/examples.fixture.ts';
import { MODEL, resources, running, startSeam, user } from './fixtures/stories.fixture.ts';
import { wander } from './fixtures/wander.fixture.ts';
import { type FoldBatch, fold } from './fold.ts';
import { settleRecords } from './settle.ts';
import { type Conversation, emptyConversation } from './state.ts';

const TS = '2026-07-17T11:00:00.000Z';
const examples: [string, FoldBatch[]][] = [
  ['reply', replyExample],
  ['killed reply', killedExample],
];

/** Folds until a batch is refused: its reason and where, or `legal`. A refused batch must leave no trace. */
function verdict(batches: readonly FoldBatch[]): string {
  const state = emptyConversation('inc_U');
  for (const batch of batches) {
    const before = structuredClone(state);
    try {
      fold(state, batch);
    } catch (error) {
      if (!(error instanceof ConversationRecordInvariantError)) throw error;
      expect(state).toEqual(before);
      return `${error.meta.reason} at ${Number(batch.offset.split('_')[1])}`;
    }
  }
  return endsWell(state) ? 'legal' : 'stuck';
}

function write(state: Conversation, epoch: number, records: readonly ConversationRecord[]): void {
  fold(state, { offset: formatOffset(state.tail.head + 1), class: 'durable', epoch, records });
}

/** RCD-69: a new owner converges, settles what is left, and the next delivery is answered. */
function endsWell(state: Conversation): boolean {
  const epoch = 9;
  write(
    state,
    epoch,
    converge(state).map((record) => stamp(record, TS)),
  );
  if (converge(state).length > 0) return false;
  const host = state.queue.pending.find((pending) => pending.state !== 'joined');
  for (let next = host; next; next = state.queue.pending[0]) {
    const { submissionId } = next;
    const end = settleRecords(state, {
      submissionId,
      outcome: 'failed',
      error: { message: 'It was interrupted.' },
      reason: 'exhausted_retry_budget',
      kindOf: () => 'dispatch',
    });
    write(
      state,
      epoch,
      end.map((record) => stamp(record, TS)),
    );
  }
  if (state.birth === undefined) return true;
  write(state, epoch, [stamp(user('sub_N'), TS)]);
  const first = state.resources ? [] : [resources({ prompt: 'p', submissionId: 'sub_N' })];
  write(
    state,
    epoch,
    [running('sub_N'), startSeam('sub_N'), ...first].map((record) => stamp(record, TS)),
  );
  const answer = {
    turn: 1,
    model: MODEL,
    content: [{ type: 'text' as const, text: 'Hi', part: 0 }],
    stop: 'stop' as const,
  };
  write(state, epoch, [
    stamp({ type: 'assistant_message', submissionId: 'sub_N', ...answer }, TS),
    stamp({ type: 'submission_settled', submissionId: 'sub_N', outcome: 'completed' }, TS),
  ]);
  return state.queue.pending.length === 0 && state.response === undefined;
}

function edited(
  batches: readonly FoldBatch[],
  at: number,
  change: (records: FoldBatch['records']) => FoldBatch['records'],
) {
  return batches.map((batch, index) => (index === at ? { ...batch, records: change(batch.records) } : batch));
}

/** Per record of the example: what comes of the stream when that one record is changed. */
function table(
  batches: readonly FoldBatch[],
  change: (records: FoldBatch['records'], index: number) => FoldBatch['records'],
) {
  const rows: Record<string, string> = {};
  for (const [at, batch] of batches.entries()) {
    for (const [index, record] of batch.records.entries()) {
      const name = `${at + 1}.${index} ${record?.type}`;
      rows[name] = verdict(edited(batches, at, (records) => change(records, index)));
    }
  }
  return rows;
}

describe.each(examples)('%s (RCD-90)', (_, batches) => {
  it('killed after any batch, converge and settle are legal and the next delivery is answered (RCD-69)', () => {
    for (const end of batches.keys())
      expect(verdict(batches.slice(0, end + 1)), `after batch ${end + 1}`).toBe('legal');
  });

  it('each record dropped: refused, or a legal stream of its own', () => {
    expect(table(batches, (records, index) => records.toSpliced(index, 1))).toMatchSnapshot();
  });

  it('each record doubled: refused, or a legal stream of its own', () => {
    expect(table(batches, (records, index) => records.toSpliced(index, 0, records[index]))).toMatchSnapshot();
  });

  it("an admission changes nothing but the queue wherever it comes in between an owner's batches (RCD-44)", () => {
    const admission = batches.findIndex((batch) => batch.records[0]?.type === 'user_message');
    const join = batches.findIndex(
      (batch) => batch.records[0]?.type === 'submission_moved' && batch.records[0].to === 'joined',
    );
    const moved = batches[admission] as FoldBatch;
    const others = batches.toSpliced(admission, 1);
    const expected = timeless(folded(batches));
    for (let at = 1; at < join; at += 1) {
      const renumbered = others
        .toSpliced(at, 0, moved)
        .map((batch, index) => ({ ...batch, offset: formatOffset(index + 1) }));
      expect(timeless(folded(renumbered)), `at ${at}`).toEqual(expected);
    }
  });
});

it('any legal stream, cut anywhere, ends well (RCD-69, REC-07)', () => {
  const choices = fc.array(fc.nat({ max: 10_000 }), { minLength: 10, maxLength: 90 });
  fc.assert(
    fc.property(choices, (numbers) => {
      expect(verdict(wander(numbers))).toBe('legal');
    }),
    { numRuns: 60, seed: 11 },
  );
});

/** The state without the places of its records. */
function timeless(state: Conversation): unknown {
  return JSON.parse(
    JSON.stringify(state, (key, value) => {
      if (key === 'batch' || key === 'reclaimable') return undefined;
      return value instanceof Map || value instanceof Set ? [...value] : value;
    }),
  );
}
