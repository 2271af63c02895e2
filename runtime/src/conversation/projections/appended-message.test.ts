import { describe, expect, it } from 'vitest';
import { readFrom } from './reader-walk.fixture.ts';
import { batch, workedExample } from './worked-example.fixture.ts';

const A = { submissionId: 'sub_A' };
const accepted = { ...A, acceptedAt: '2026-07-17T10:00:00.000Z' };

/** The message that a record of batch 9 shows. */
function shown(record: Parameters<typeof batch>[1]) {
  const chunks = readFrom([batch(9, record)], 8).get(9) ?? [];
  const chunk = chunks.find(({ type }) => type === 'message-appended');
  return chunk?.type === 'message-appended' ? chunk.message : undefined;
}
const signal = (signalType: string, more: object = A) =>
  shown({ type: 'signal', ...more, signalType, body: 'text', attributes: { a: 'b' }, tagName: 'note' });

describe('a delivered message', () => {
  it('of a user keeps its submission and its files, which the server gives no URL (HIST-05, HIST-09)', () => {
    const attachments = [{ id: 'att_1', mimeType: 'image/png', size: 8, digest: 'd', filename: 'a.png' }];
    expect(shown({ type: 'user_message', ...accepted, body: 'Look', attachments })).toEqual({
      id: 'msg_sub_A',
      role: 'user',
      purpose: 'user',
      display: 'visible',
      submissionId: 'sub_A',
      timestamp: '2026-07-17T10:00:09.000Z',
      parts: [
        { type: 'text', text: 'Look', state: 'done' },
        { type: 'file', mediaType: 'image/png', id: 'att_1', size: 8, filename: 'a.png' },
      ],
    });
  });

  it('of a picture alone has no empty text (HIST-05)', () => {
    const attachments = [{ id: 'att_1', mimeType: 'image/png', size: 8, digest: 'd' }];
    expect(shown({ type: 'user_message', ...accepted, body: '', attachments })?.parts).toHaveLength(1);
  });

  it('of a signal is no chat turn, and its type is told (HIST-04)', () => {
    expect(signal('order.late', accepted)).toMatchObject({
      id: 'msg_sub_A',
      role: 'system',
      purpose: 'dispatch',
      display: 'diagnostic',
      signal: { type: 'order.late', tagName: 'note', attributes: { a: 'b' } },
    });
  });
});

describe('what nobody delivered', () => {
  it.each([
    ['resources', 'advisory', 'diagnostic', undefined],
    ['instructions', 'advisory', 'diagnostic', undefined],
    ['environment', 'advisory', 'diagnostic', undefined],
    ['stream_interrupted', 'advisory', 'hidden', undefined],
    ['stream_continued', 'advisory', 'hidden', undefined],
    ['submission_interrupted', 'advisory', 'diagnostic', { outcome: 'failed' }],
    ['submission_aborted', 'advisory', 'diagnostic', { outcome: 'aborted' }],
    ['check', 'dispatch', 'diagnostic', undefined],
  ])('%s is %s, %s (HIST-04, HIST-06)', (type, purpose, display, settlement) => {
    const message = signal(type);
    expect(message).toMatchObject({ id: 'msg_9_0', role: 'system', purpose, display, signal: { type } });
    expect(message?.settlement).toEqual(settlement);
  });

  it('a compaction is one advisory and resets nothing (HIST-13, CHNK-04)', () => {
    const compaction = {
      type: 'compaction' as const,
      ...A,
      summary: 'So far …',
      firstKeptEntryId: null,
      tokensBefore: 900,
      files: { read: [], modified: [] },
      reason: 'threshold',
    };
    const chunks = readFrom([...workedExample, batch(14, compaction)], 13).get(14);
    expect(chunks).toHaveLength(1);
    expect(chunks?.[0]).toMatchObject({
      type: 'message-appended',
      message: {
        id: 'msg_14_0',
        purpose: 'advisory',
        display: 'diagnostic',
        signal: { type: 'compaction', attributes: { reason: 'threshold', tokensBefore: '900' } },
        parts: [{ text: 'So far …' }],
      },
    });
  });
});

describe('what no reader sees', () => {
  it('child conversations and what is internal give no chunk (STRM-09, UPD-02)', () => {
    const model = { provider: 'offline', id: 'm', api: 'offline' };
    const content = [{ type: 'text', text: 'secret', part: 0 }];
    const records = [
      { type: 'conversation_opened' as const, ...A, conv: 1, kind: 'task', call: 'c1' },
      { type: 'user_message' as const, ...A, conv: 1, body: 'secret prompt' },
      { type: 'assistant_message' as const, ...A, conv: 1, turn: 1, model, content, stop: 'stop' },
      {
        type: 'call_settled' as const,
        ...A,
        conv: 1,
        turn: 1,
        call: 'c9',
        tool: 't',
        status: 'ok',
        output: 1,
      },
      {
        type: 'compaction' as const,
        ...A,
        conv: 1,
        summary: 's',
        firstKeptEntryId: null,
        tokensBefore: 1,
        files: {},
        reason: 'manual',
      },
      { type: 'state_written' as const, ...A, name: 'n', value: 1 },
      { type: 'step_recorded' as const, ...A, turn: 1, call: 'c1', name: 's', value: 1 },
      { type: 'seam_closed' as const, ...A, seam: 'start' },
    ];
    expect(readFrom([batch(9, ...records)], 8).get(9)).toEqual([]);
  });

  it('a request for a compaction is no submission (RCD-45)', () => {
    const request = { submissionId: 'cmp_1' };
    const records = [
      { type: 'compaction_requested' as const, ...request, acceptedAt: '2026-07-17T10:00:00.000Z' },
      { type: 'submission_moved' as const, ...request, to: 'running', attempt: 1 },
      { type: 'submission_settled' as const, ...request, outcome: 'completed' },
    ];
    expect(readFrom([batch(9, ...records)], 8).get(9)).toEqual([]);
  });
});
