import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatOffset } from '../../ports/offset.ts';
import { ConversationRecordInvariantError } from '../errors.ts';
import { encodeRecord, type NewRecord, stamp } from '../records/index.ts';
import { folded, stored } from './fixtures/examples.fixture.ts';
import { delta, message, opened, settled, story, text, user } from './fixtures/stories.fixture.ts';
import { wander } from './fixtures/wander.fixture.ts';
import { type FoldBatch, fold } from './fold.ts';
import { prepare } from './prepare.ts';
import { isAdmission } from './slices/queue.ts';
import { emptyConversation } from './state.ts';

const TS = '2026-07-17T10:00:00.000Z';
const stamped = (...records: NewRecord[]) => records.map((record) => stamp(record, TS));
const batch = (...records: NewRecord[]) => ({
  class: 'durable' as const,
  epoch: 1,
  records: stamped(...records),
});

describe('a prepared batch', () => {
  it('shows in the state what the next unit of the same commit rests on (RCD-40)', () => {
    const { state } = story(...opened);
    const prepared = prepare(state, batch(message(1, [text('Hi', 0)])));
    expect(state.response?.final).toBe('stopped');
    prepared.extend(stamped(settled()));
    prepared.committed(formatOffset(3));
    expect(state).toMatchObject({
      response: undefined,
      queue: { settled: 1 },
      tail: { head: 3, prepared: false },
    });
    expect(prepared.records.map((record) => record.type)).toEqual([
      'assistant_message',
      'submission_settled',
    ]);
  });

  it('that is refused is not to be committed, and leaves no trace (RCD-68)', () => {
    const { state } = story(...opened);
    const before = structuredClone(state);
    expect(() => prepare(state, batch(message(2, [text('Hi', 0)])))).toThrow(
      ConversationRecordInvariantError,
    );
    expect(state).toEqual(before);
    const prepared = prepare(state, batch(message(1, [text('Hi', 0)])));
    expect(() => prepared.extend(stamped(settled('sub_X')))).toThrow(ConversationRecordInvariantError);
    expect(state).toEqual(before);
  });

  it('that the store did not take is forgotten', () => {
    const { state } = story(...opened);
    const before = structuredClone(state);
    prepare(state, batch(message(1, [text('Hi', 0)]), settled())).discard();
    expect(state).toEqual(before);
  });

  it('stands where the store put it, and admissions before it are in the queue (RCD-44, OWN-04)', () => {
    const { state } = story(...opened);
    const prepared = prepare(state, batch(message(1, [text('Hi', 0)])));
    const admission = stored({ offset: formatOffset(3), ...batch(user('sub_B')) });
    prepared.committed(formatOffset(4), [admission]);

    const other = story(...opened).state;
    fold(other, { offset: formatOffset(3), ...batch(user('sub_B')) });
    fold(other, { offset: formatOffset(4), ...batch(message(1, [text('Hi', 0)])) });
    expect({ ...state, tail: state.tail.head }).toEqual({ ...other, tail: other.tail.head });
    expect(state.windows.get(0)?.entries.at(-1)?.held.batch).toBe(4);
  });

  it('says which drafts it makes redundant (STR-09)', () => {
    const told = story(...opened).tell(delta(0, 0, 'H'));
    const drafts = { class: 'draft' as const, epoch: 1, records: stamped(delta(0, 1, 'i')) };
    prepare(told.state, drafts).committed(formatOffset(5), [
      stored({ offset: formatOffset(4), ...batch(user('sub_B')) }),
    ]);
    const prepared = prepare(told.state, batch(message(1, [text('Hi', 0)])));
    expect(prepared.reclaim).toEqual([formatOffset(3), formatOffset(5)]);
    prepared.committed(formatOffset(6));
    expect(told.state.tail.reclaimable).toEqual([]);
  });

  it('is serialized once (RCD-06)', () => {
    const { state } = story(...opened);
    const prepared = prepare(state, batch(message(1, [text('Hi', 0)])));
    const [first] = prepared.bodies;
    prepared.extend(stamped(settled()));
    expect(prepared.bodies).toEqual(prepared.records.map(encodeRecord));
    expect(prepared.bodies[0]).toBe(first);
    prepared.committed(formatOffset(3));
    expect(state.tail.bytes).toBe(prepared.bodies.join('').length);
  });

  it('is alone: nothing else is folded before its answer', () => {
    const { state } = story(...opened);
    prepare(state, batch(message(1, [text('Hi', 0)])));
    expect(() => prepare(state, batch(settled()))).toThrow('neither committed nor discarded');
    expect(() => fold(state, { offset: formatOffset(4), ...batch(user('sub_B')) })).toThrow(
      'neither committed nor discarded',
    );
  });
});

describe('over any legal stream', () => {
  const streams = fc.array(fc.nat({ max: 10_000 }), { minLength: 10, maxLength: 80 }).map(wander);

  it('a discarded batch leaves the state as it was, whatever it held (CKP-08)', () => {
    fc.assert(
      fc.property(streams, (batches) => {
        const state = emptyConversation('inc_U');
        for (const next of batches) {
          const before = structuredClone(state);
          prepare(state, { ...next, records: next.records.flatMap((record) => record ?? []) }).discard();
          expect(state).toEqual(before);
          fold(state, next);
        }
      }),
      { numRuns: 15, seed: 5 },
    );
  });

  it('admissions that come in before the commit is answered lead to the same state (RCD-44, OWN-04)', () => {
    fc.assert(
      fc.property(streams, (batches) => {
        const state = emptyConversation('inc_U');
        let admitted: FoldBatch[] = [];
        for (const next of batches) {
          if (next.records.length === 1 && next.records.every((record) => record && isAdmission(record))) {
            admitted.push(next);
            continue;
          }
          if (dependsOn(next, admitted)) for (const one of admitted.splice(0)) fold(state, one);
          const prepared = prepare(state, {
            ...next,
            records: next.records.flatMap((record) => record ?? []),
          });
          prepared.committed(next.offset, admitted.map(stored));
          admitted = [];
        }
        for (const one of admitted) fold(state, one);
        const { tail: _, ...expected } = folded(batches);
        expect(state).toMatchObject(expected);
      }),
      { numRuns: 40, seed: 5 },
    );
  });
});

/** An owner that writes for a submission has seen its admission. */
function dependsOn(batch: FoldBatch, admitted: readonly FoldBatch[]): boolean {
  const waiting = new Set(admitted.flatMap(({ records }) => records.map((record) => record?.submissionId)));
  return batch.records.some((record) => waiting.has(record?.submissionId));
}
