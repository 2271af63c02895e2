import { describe, expect, it } from 'vitest';
import { mergeMetadata } from '../metadata.ts';
import type { ChunkBody } from './chunk.ts';
import { snapshotOf } from './reader-walk.fixture.ts';
import { applyChunk, emptyTranscript, fromSnapshot, snapshotAt } from './transcript.ts';
import { workedExample } from './worked-example.fixture.ts';

const stream = { conversationId: 'conv_X', incarnation: 'inc_X' };
const start: ChunkBody = { type: 'message-started', messageId: 'res_1' };

/** The parts of one message after these changes. */
function partsAfter(
  ...changes: (ChunkBody extends infer C
    ? C extends { messageId: string }
      ? Omit<C, 'messageId'>
      : never
    : never)[]
) {
  const transcript = emptyTranscript(stream);
  for (const chunk of [start, ...changes.map((change) => ({ ...change, messageId: 'res_1' }) as ChunkBody)]) {
    applyChunk(transcript, chunk);
  }
  return transcript.messages.get('res_1')?.parts;
}

const delta = (kind: 'text' | 'reasoning', text: string, part: number, at = 0) =>
  ({ type: 'message-delta', kind, delta: text, part, at }) as const;
const input = (toolCallId: string, n: number) =>
  ({ type: 'tool-input', toolCallId, toolName: 't', input: { n }, inputValid: n > 0 }) as const;
const output = (toolCallId: string, value: number) =>
  ({ type: 'tool-output', toolCallId, toolName: 't', output: value }) as const;

describe('the parts of a message', () => {
  it('close when another kind, a call or the end follows (CHNK-05)', () => {
    expect(partsAfter(delta('reasoning', 'hm', 0), delta('text', 'So', 1))).toMatchObject([
      { type: 'reasoning', state: 'done' },
      { type: 'text', state: 'streaming' },
    ]);
    expect(partsAfter(delta('reasoning', 'hm', 0), input('c1', 1))?.[0]).toMatchObject({ state: 'done' });
    expect(
      partsAfter(delta('text', 'x', 0), { type: 'message-completed', outcome: 'completed' })?.[0],
    ).toMatchObject({ state: 'done' });
  });

  it('take an overlapping delta once (CHNK-02)', () => {
    expect(partsAfter(delta('text', 'Let me ', 0), delta('text', 'me look', 0, 4))).toMatchObject([
      { text: 'Let me look' },
    ]);
    expect(partsAfter(delta('text', 'Let me look', 0), delta('text', 'Let me', 0, 0))).toMatchObject([
      { text: 'Let me look' },
    ]);
  });

  it('hold one data part per name, at its first place, with the latest write (HIST-07)', () => {
    const write = (name: string, data: number) => ({ type: 'data-part', name, data }) as const;
    expect(partsAfter(write('a', 1), write('b', 2), write('a', 3))).toEqual([
      { type: 'data-a', data: 3, writes: 2 },
      { type: 'data-b', data: 2, writes: 1 },
    ]);
  });

  it('give an outcome to the newest call of its id (CHNK-10, HIST-10)', () => {
    expect(partsAfter(input('c1', 1), output('c1', 10), input('c1', 0), output('c1', 20))).toMatchObject([
      { state: 'output-available', input: { n: 1 }, inputValid: true, output: 10 },
      { state: 'output-available', input: { n: 0 }, inputValid: false, output: 20 },
    ]);
  });
});

describe('a transcript', () => {
  it('lists what is admitted and unsettled, in accepted order (HIST-11)', () => {
    const upTo = (head: number) =>
      snapshotOf(workedExample.slice(0, head)).pending.map(({ submissionId, state }) => [
        submissionId,
        state,
      ]);
    expect(upTo(1)).toEqual([['sub_A', 'queued']]);
    expect(upTo(6)).toEqual([
      ['sub_A', 'running'],
      ['sub_B', 'queued'],
    ]);
    expect(upTo(9)).toEqual([
      ['sub_A', 'running'],
      ['sub_B', 'joined'],
    ]);
    expect(upTo(13)).toEqual([]);
  });

  it('gives a completed submission no advisory, and a settlement of its own (HIST-06, CHNK-07)', () => {
    const { messages, settlements } = snapshotOf(workedExample);
    expect(messages.filter(({ settlement }) => settlement)).toEqual([]);
    expect(settlements).toEqual([
      { submissionId: 'sub_A', outcome: 'completed' },
      { submissionId: 'sub_B', outcome: 'completed', answeredBySubmissionId: 'sub_A' },
    ]);
  });

  it('is detached from the snapshots taken of it, and they from it', () => {
    const snapshot = snapshotOf(workedExample);
    const transcript = fromSnapshot(snapshot);
    applyChunk(transcript, { type: 'data-part', messageId: 'res_sub_A', name: 'order', data: 'changed' });
    expect(snapshotAt(transcript, snapshot.offset)).not.toEqual(snapshot);
    expect(snapshot).toEqual(snapshotOf(workedExample));
  });

  it('passes over a change of a message that it does not hold', () => {
    const transcript = emptyTranscript(stream);
    applyChunk(transcript, { type: 'data-part', messageId: 'res_9', name: 'x', data: 1 });
    expect(transcript.messages.size).toBe(0);
  });
});

describe('metadata', () => {
  it('merges deeply, later values win, and no key reaches a prototype (RESP-04)', () => {
    const from = JSON.parse('{"a":{"y":2,"__proto__":{"bad":1}},"list":[2],"constructor":1}');
    const before = { a: { x: 1, y: 1 }, list: [1], kept: true };
    expect(mergeMetadata(before, from)).toEqual({ a: { x: 1, y: 2 }, list: [2], kept: true });
    expect(before.a.y).toBe(1);
    expect(({} as { bad?: number }).bad).toBeUndefined();
  });
});
