import { describe, expect, it } from 'vitest';
import { ConversationRecordInvariantError } from '../errors.ts';
import type { ConversationRecord } from '../records/index.ts';
import { folded, killedExample, replyExample, stored } from './fixtures/examples.fixture.ts';
import { message, opened, result, story, text, user } from './fixtures/stories.fixture.ts';
import { type FoldBatch, fold, foldStored } from './fold.ts';
import { responseText } from './queries.ts';
import { emptyConversation, ROOT } from './state.ts';

describe('the worked examples (RCD-90)', () => {
  it('a reply with a tool call, a join and a continuation folds to its end', () => {
    const state = folded(replyExample);
    expect(state.queue).toEqual({ pending: [], settled: 2 });
    expect(state.response).toBeUndefined();
    expect(Object.fromEntries(state.values)).toEqual({ last: '7' });
    expect(state.cursor?.record).toMatchObject({ type: 'signal', signalType: 'check' });
    expect(state.windows.get(ROOT)?.entries.map((entry) => entry.held.record?.type)).toEqual([
      'user_message',
      'assistant_message',
      'call_settled',
      'user_message',
      'assistant_message',
      'signal',
      'assistant_message',
    ]);
    expect(state.tail).toMatchObject({ head: 13, batches: 13, reclaimable: [3, 4] });
  });

  it('what the response had come to before it settled', () => {
    const { response } = folded(replyExample.slice(0, -1));
    expect(response).toMatchObject({
      host: 'sub_A',
      epoch: 1,
      nextPart: 5,
      metadata: { desk: 'eu' },
      cycles: 1,
      completedSteps: 3,
      final: 'stopped',
      calls: [{ tool: 'lookup_order', isError: false }],
      usage: { totalTokens: 165 },
    });
    expect(response?.data).toEqual(new Map([['order', 2]]));
  });

  it('killed twice, the reply is the partial text and what continues it, and the interrupted write never happened (RCD-83, STATE-08)', () => {
    expect(responseText(folded(killedExample.slice(0, -1)))).toBe('I could not');
    const before = folded(killedExample.slice(0, -1));
    const last = killedExample.at(-1) as FoldBatch;
    fold(before, { ...last, records: last.records.slice(0, 1) });
    expect(responseText(before)).toBe('I could not reach the order system.');
    const state = folded(killedExample);
    expect(state.values.has('last')).toBe(false);
    expect(state.queue).toEqual({ pending: [], settled: 2 });
  });

  it('folds the same from stored batches', () => {
    const state = emptyConversation('inc_U');
    for (const batch of replyExample) foldStored(state, stored(batch));
    const expected = folded(replyExample);
    expect({ ...state, tail: undefined }).toEqual({ ...expected, tail: undefined });
    expect(state.tail.bytes).toBe(replyExample.flatMap((batch) => stored(batch).records).join('').length);
  });
});

describe('a batch counts as a whole or not at all', () => {
  it('a violation late in a batch leaves the state as it was (CKP-08, RCD-68)', () => {
    const told = story(...opened);
    const before = structuredClone(told.state);
    expect(told.refusal(user('sub_B'), message(1, [text('Hi', 0)]), message(3, [text('Hi', 1)]))).toBe(
      'turn',
    );
    expect(told.state).toEqual(before);
  });

  it('the error names the record and the reason (RCD-68)', () => {
    const told = story(...opened);
    const records = [message(1, [text('Hi', 0)]), result('c9')].map(
      (record) => ({ v: 1, ts: '2026-07-17T10:00:00.000Z', ...record }) as ConversationRecord,
    );
    const batch: FoldBatch = {
      offset: '0000000000000000_0000000000000003',
      class: 'durable',
      epoch: 1,
      records,
    };
    const error = catchError(() => fold(told.state, batch));
    expect(error).toBeInstanceOf(ConversationRecordInvariantError);
    expect(error).toMatchObject({
      type: 'conversation_record_invariant',
      meta: { recordId: 'rec_3_1', recordType: 'call_settled', reason: 'call' },
    });
  });

  it('a batch is folded once and in order', () => {
    const told = story(...opened);
    const [first] = replyExample as [FoldBatch];
    expect(() => fold(told.state, first)).toThrow('folded before');
  });

  it('a record that was passed over keeps its place (RCD-07)', () => {
    const state = emptyConversation('inc_U');
    const [first] = replyExample as [FoldBatch];
    const [birth, input] = stored(first).records as [string, string];
    const newer = JSON.stringify({ v: 1, type: 'mood_noticed', skip: true });
    foldStored(state, { ...stored(first), records: [birth, newer, input] });
    expect(state.queue.pending[0]?.held).toMatchObject({ batch: 1, index: 2 });
  });
});

function catchError(run: () => void): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
