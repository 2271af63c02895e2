import { describe, expect, it } from 'vitest';
import { formatOffset } from '../../ports/offset.ts';
import type { Chunk } from './chunk.ts';
import type { DecodedBatch } from './decoded-batch.ts';
import { readFrom, snapshotOf, transcriptOf } from './reader-walk.fixture.ts';
import { applyChunk, fromSnapshot, snapshotAt } from './transcript.ts';
import { batch, killedExample, withoutDrafts, workedExample } from './worked-example.fixture.ts';

const types = (chunks: Chunk[] | undefined) => chunks?.map((chunk) => chunk.type);
const upTo = (batches: readonly DecodedBatch[], head: number) =>
  batches.filter(({ batch: number }) => number <= head);

describe('the chunks of the worked example', () => {
  const sent = readFrom(workedExample, 0);

  it('are, batch by batch, those of the vocabulary (RCD-80, RCD-81)', () => {
    const told = Object.fromEntries([...sent].map(([number, chunks]) => [number, types(chunks)]));
    expect(told).toEqual({
      1: ['conversation-reset'],
      2: ['submission-state'],
      3: ['message-started', 'message-delta'],
      4: ['message-delta'],
      5: ['message-delta', 'tool-input', 'message-completed'],
      6: ['message-appended', 'submission-state'],
      7: ['data-part'],
      8: ['tool-output'],
      9: ['submission-state'],
      10: ['message-started', 'message-delta', 'message-completed'],
      11: ['message-appended'],
      12: ['message-started', 'message-delta', 'message-completed'],
      13: ['submission-settled', 'submission-settled'],
    });
  });

  it('carry their stream and a position that counts within the batch (CHNK-01)', () => {
    for (const [number, chunks] of sent) {
      expect(chunks.map((chunk) => chunk.position)).toEqual(
        chunks.map((_, index) => ({ batch: number, index })),
      );
      expect(chunks.every((chunk) => chunk.conversationId === 'conv_X')).toBe(true);
    }
  });

  it('show what no draft showed, at its place (CHNK-02)', () => {
    expect(sent.get(5)?.[0]).toMatchObject({ kind: 'text', delta: 'ok.', part: 0, at: 9 });
    expect(sent.get(5)?.[1]).toMatchObject({
      messageId: 'res_sub_A',
      toolCallId: 'c1',
      toolName: 'lookup_order',
      input: { orderId: '7' },
      inputValid: true,
    });
    expect(sent.get(8)?.[0]).toMatchObject({
      messageId: 'res_sub_A',
      output: { eta: 'Friday' },
      durationMs: 12,
    });
  });

  it('carry the metadata merged so far with the first start only (RCD-81)', () => {
    expect(sent.get(3)?.[0]).toMatchObject({
      metadata: { desk: 'eu' },
      turnId: 'res_sub_A.1',
      submissionId: 'sub_A',
    });
    expect(sent.get(10)?.[0]).not.toHaveProperty('metadata');
  });

  it('carry record times at boundaries and none on deltas (CHNK-09)', () => {
    expect(sent.get(5)?.map((chunk) => 'timestamp' in chunk && chunk.timestamp)).toEqual([
      false,
      '2026-07-17T10:00:05.000Z',
      '2026-07-17T10:00:05.000Z',
    ]);
  });

  it('settle the joined delivery by the one that answered it (CHNK-07)', () => {
    expect(sent.get(13)?.[1]).toMatchObject({ submissionId: 'sub_B', answeredBySubmissionId: 'sub_A' });
  });
});

describe('a reader that missed drafts', () => {
  it('at 2 that comes after 5 gets the message whole (RCD-82, STRM-05)', () => {
    const sent = readFrom(withoutDrafts(workedExample), 2);
    expect(types(sent.get(5))).toEqual(['message-appended', 'message-completed']);
    expect(sent.get(5)?.[0]).toMatchObject({
      message: {
        id: 'res_sub_A',
        metadata: { desk: 'eu' },
        parts: [
          { type: 'text', text: 'Let me look.', state: 'done' },
          { type: 'dynamic-tool', state: 'input-available' },
        ],
      },
    });
    expect(types(sent.get(10))).toEqual(['message-started', 'message-delta', 'message-completed']);
  });

  it('at 4, whose drafts are gone since, gets what follows them whole (STRM-05)', () => {
    const sent = readFrom(withoutDrafts(workedExample), 4);
    expect(types(sent.get(5))).toEqual(['message-appended', 'message-completed']);
  });

  it('gets the later message with every part that it has by then (STRM-05)', () => {
    const sent = readFrom(withoutDrafts(killedExample), 9);
    expect(types(sent.get(11))?.slice(0, 2)).toEqual(['message-appended', 'message-completed']);
    expect(sent.get(11)?.[0]).toMatchObject({
      message: {
        parts: [
          { text: 'Let me look.' },
          { state: 'output-error', errorText: '{"type":"interrupted","message":"…"}' },
          { type: 'data-order', data: { id: '7' }, writes: 1 },
          { text: 'I could not', state: 'done' },
        ],
      },
    });
  });

  it('keeps a message where it first appeared, before what was admitted while it streamed (RCD-82)', () => {
    const [admitted, opened, draft] = workedExample;
    const during = batch(4, {
      type: 'user_message',
      submissionId: 'sub_C',
      body: 'Hurry',
      acceptedAt: admittedAt,
    });
    const message = { ...workedExample[4]!, batch: 5 };
    const live = [admitted!, opened!, draft!, during, message];
    expect([...transcriptOf(live).messages.keys()]).toEqual(['msg_sub_A', 'res_sub_A', 'msg_sub_C']);
    expect(snapshotOf(withoutDrafts(live))).toEqual(snapshotOf(live));
  });
});

const admittedAt = '2026-07-17T10:00:04.000Z';

describe.each([
  ['the worked example', workedExample],
  ['the killed example', killedExample],
])('%s', (_, batches) => {
  const heads = batches.map(({ batch: number }) => number);

  it('replays to what live readers saw, drafts reclaimed or not (HIST-01, PC-057)', () => {
    const live = snapshotOf(batches);
    expect(snapshotOf(withoutDrafts(batches))).toEqual(live);
    expect(live.messages.every((message) => message.submissionId !== undefined)).toBe(true);
  });

  it.each(heads)('a snapshot at %i and every later chunk end at a fresh snapshot (HIST-01)', (at) => {
    const early = snapshotOf(upTo(batches, at));
    for (const stored of [batches, withoutDrafts(batches)]) {
      const transcript = transcriptOf(stored, fromSnapshot(early), at);
      expect(snapshotAt(transcript, formatOffset(heads.at(-1)!))).toEqual(snapshotOf(stored));
    }
  });

  it.each(heads)(
    'a reader at %i that asks for one batch at a time ends there too (HIST-01, STRM-05)',
    (at) => {
      const stored = withoutDrafts(batches);
      const transcript = fromSnapshot(snapshotOf(upTo(batches, at)));
      let after = at;
      for (const { batch: number } of stored.filter(({ batch: number }) => number > at)) {
        for (const chunk of readFrom(stored, after).get(number) ?? []) applyChunk(transcript, chunk);
        after = number;
      }
      expect(snapshotAt(transcript, formatOffset(after))).toEqual(snapshotOf(stored));
    },
  );

  it.each(heads)('a reader that stops at %i and comes back sees the same chunks (RCD-80)', (at) => {
    const resumed = readFrom(batches, at);
    const straight = readFrom(batches, 0);
    for (const [number, chunks] of resumed) expect(chunks).toEqual(straight.get(number));
  });
});
