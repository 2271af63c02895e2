import { describe, expect, it } from 'vitest';
import { ConversationRecordInvariantError } from '../errors.ts';
import { replyExample } from '../fold/fixtures/examples.fixture.ts';
import { decodeRecord, encodeRecord } from './codec.ts';
import { type ConversationRecord, stamp } from './union.ts';

const TS = '2026-07-17T10:00:00.000Z';
const moved = { v: 1, type: 'submission_moved', ts: TS, submissionId: 'sub_A', to: 'queued' };

function decode(value: unknown): ConversationRecord | undefined {
  return decodeRecord(JSON.stringify(value), 4, 2);
}

function refusal(value: unknown): ConversationRecordInvariantError {
  try {
    decode(value);
  } catch (error) {
    if (error instanceof ConversationRecordInvariantError) return error;
  }
  throw new Error(`${JSON.stringify(value)} was not refused.`);
}

describe('the codec', () => {
  it('gives every record of the worked example back (RCD-02, RCD-90)', () => {
    for (const record of replyExample.flatMap((batch) => batch.records)) {
      if (record) expect(decodeRecord(encodeRecord(record), 1, 0)).toEqual(record);
    }
  });

  it('leaves absent fields out (RCD-06)', () => {
    expect(encodeRecord(stamp({ type: 'submission_moved', submissionId: 'sub_A', to: 'queued' }, TS))).toBe(
      JSON.stringify(moved),
    );
  });

  it('ignores unknown fields (RCD-06, VER-08)', () => {
    expect(decode({ ...moved, mood: 'good' })).toMatchObject(moved);
  });

  it('refuses what is broken, and says where (RCD-50, RCD-68)', () => {
    expect(refusal({ ...moved, submissionId: 7 })).toMatchObject({
      foreign: false,
      meta: { recordId: 'rec_4_2', recordType: 'submission_moved', reason: 'shape' },
    });
    expect(refusal({ ...moved, ts: 'yesterday' }).foreign).toBe(false);
    expect(refusal({ ...moved, to: 'running' }).foreign).toBe(false);
    expect(() => decodeRecord('{"v":1', 4, 2)).toThrow(ConversationRecordInvariantError);
    expect(() => decodeRecord('7', 4, 2)).toThrow(ConversationRecordInvariantError);
  });

  it('refuses null for absent (RCD-06)', () => {
    expect(
      refusal({ ...moved, type: 'compaction_requested', acceptedAt: TS, instructions: null }).meta.reason,
    ).toBe('shape');
  });

  it('tells a newer form from a broken one (RCD-07)', () => {
    expect(refusal({ ...moved, type: 'mood_noticed' }).foreign).toBe(true);
    expect(refusal({ ...moved, v: 2 }).foreign).toBe(true);
    expect(refusal({ ...moved, to: 'parked' }).foreign).toBe(true);
  });

  it('passes over a newer form only when it says that it may (RCD-07)', () => {
    expect(decode({ ...moved, type: 'mood_noticed', skip: true })).toBeUndefined();
    expect(decode({ ...moved, v: 2, skip: true })).toBeUndefined();
    expect(refusal({ ...moved, submissionId: 7, skip: true }).meta.reason).toBe('shape');
  });

  it('knows which of two fields go together (RCD-20, RCD-27, RCD-28)', () => {
    const call = {
      v: 1,
      type: 'call_settled',
      ts: TS,
      submissionId: 'sub_A',
      turn: 1,
      call: 'c1',
      tool: 't',
      status: 'ok',
    };
    expect(refusal(call).meta.reason).toBe('shape');
    expect(refusal({ ...call, output: 1, content: [] }).meta.reason).toBe('shape');
    expect(decode({ ...call, output: null })).toMatchObject({ output: null });
    const child = { v: 1, type: 'conversation_opened', ts: TS, submissionId: 'sub_A', conv: 1, kind: 'task' };
    expect(refusal(child).meta.reason).toBe('shape');
    expect(refusal({ ...child, call: 'c1', hook: 'h' }).meta.reason).toBe('shape');
    expect(decode({ ...child, call: 'c1' })).toMatchObject({ kind: 'task', call: 'c1' });
    const write = { v: 1, type: 'state_written', ts: TS, submissionId: 'sub_A', name: 'a', value: 1 };
    expect(refusal({ ...write, n: 1 }).meta.reason).toBe('shape');
    expect(refusal({ ...write, call: 'c1' }).meta.reason).toBe('shape');
    expect(decode({ ...write, call: 'c1', n: 1 })).toMatchObject({ call: 'c1', n: 1 });
  });

  it('a delta carries no time, every other record does (RCD-02)', () => {
    const delta = {
      type: 'assistant_delta',
      submissionId: 'sub_A',
      turn: 1,
      part: 0,
      at: 0,
      kind: 'text',
      delta: 'a',
    };
    expect(decode({ v: 1, ...delta })).toBeDefined();
    expect(refusal({ v: 1, ts: TS, ...delta }).meta.reason).toBe('shape');
    expect(refusal({ ...moved, ts: undefined }).meta.reason).toBe('shape');
    const { type, ...fields } = delta;
    expect(stamp({ type, ...fields } as never, TS)).not.toHaveProperty('ts');
  });
});
