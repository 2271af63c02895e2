import { describe, expect, it } from 'vitest';
import { judgeShape } from './shape.ts';

const TS = '2026-07-17T10:00:00.000Z';
const model = { provider: 'p', id: 'm', api: 'a' };
const amounts = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
const usage = { ...amounts, totalTokens: 2, cost: { ...amounts, total: 2 } };
const attachment = { id: 'att_1', mimeType: 'image/png', size: 3, digest: 'd', filename: 'a.png' };
const environment = { attached: true, cwd: '/', generation: 'g' };
const error = { name: 'E', message: 'm', type: 't', details: 'd', meta: { ref: 'err_1' } };

/** One of each, with every field that it may have: clause, what must be there, what may be. */
const vocabulary: [clause: string, required: Record<string, unknown>, optional?: Record<string, unknown>][] =
  [
    [
      'RCD-20',
      { type: 'conversation_opened', kind: 'root', uid: 'inst_U' },
      { initialData: { plan: 'pro' } },
    ],
    [
      'RCD-20',
      { type: 'conversation_opened', kind: 'task', conv: 1, call: 'c1' },
      { parent: 1, agent: 'helper' },
    ],
    ['RCD-21', { type: 'user_message', body: '' }, { conv: 1, acceptedAt: TS, attachments: [attachment] }],
    [
      'RCD-22',
      { type: 'signal', signalType: 's', body: '' },
      { attributes: { a: 'b' }, tagName: 't', acceptedAt: TS },
    ],
    ['RCD-23', { type: 'submission_moved', to: 'running', attempt: 1 }],
    ['RCD-23', { type: 'submission_moved', to: 'joined', host: 'sub_B' }],
    ['RCD-23', { type: 'submission_moved', to: 'queued' }],
    ['RCD-24', { type: 'assistant_delta', turn: 1, part: 0, at: 0, kind: 'text', delta: 'a' }, { model }],
    [
      'RCD-25',
      {
        type: 'assistant_message',
        turn: 1,
        model,
        content: [
          { type: 'text', text: 'a', part: 0, sig: 's' },
          { type: 'thinking', text: '', sig: 's', redacted: true },
          { type: 'call', id: 'c1', tool: 't', args: '{', valid: false, part: 1, sig: 's', replay: {} },
        ],
        stop: 'error',
      },
      {
        conv: 1,
        usage,
        fault: { class: 'transient', message: 'm', reason: 'r', status: 429 },
        replay: { level: 'x' },
      },
    ],
    [
      'RCD-26',
      { type: 'step_recorded', turn: 1, call: 'c1', name: 's', value: null },
      { conv: 1, undef: true },
    ],
    [
      'RCD-27',
      {
        type: 'call_settled',
        turn: 1,
        call: 'c1',
        tool: 't',
        status: 'error',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image', attachment },
        ],
      },
      { conv: 1, shown: 10, terminate: true, interrupted: true, durationMs: 1 },
    ],
    ['RCD-28', { type: 'state_written', name: 'a', value: false }],
    ['RCD-28', { type: 'state_written', name: 'a', value: 1, call: 'c1', n: 1 }, { step: 's' }],
    ['RCD-29', { type: 'seam_closed', seam: 'start' }],
    ['RCD-29', { type: 'seam_closed', seam: 'finish', cycle: 1 }],
    ['RCD-30', { type: 'metadata_merged', metadata: {} }],
    ['RCD-31', { type: 'data_written', name: 'a', data: [1], part: 0 }],
    [
      'RCD-32',
      {
        type: 'resources_recorded',
        snapshot: { instructions: 'x:1', tools: [['a', 'x:1']], skills: [], subagents: [], environment },
      },
      { prompt: 'p' },
    ],
    ['RCD-33', { type: 'compaction_requested', acceptedAt: TS }, { instructions: 'i' }],
    [
      'RCD-34',
      {
        type: 'compaction',
        summary: 's',
        firstKeptEntryId: null,
        tokensBefore: 1,
        files: { read: ['a'], modified: [] },
        reason: 'manual',
      },
      { conv: 1, usage },
    ],
    [
      'RCD-35',
      { type: 'submission_settled', outcome: 'failed' },
      { error, answeredBySubmissionId: 'sub_B', usage },
    ],
  ];

function envelope({ type, kind }: Record<string, unknown>): Record<string, unknown> {
  const head = type === 'assistant_delta' ? { v: 1 } : { v: 1, ts: TS };
  return kind === 'root' ? head : { ...head, submissionId: 'sub_A' };
}

describe.each(vocabulary)('%s %j', (_, required, optional = {}) => {
  const least = { ...envelope(required), ...required };

  it('is known with all that it may have, and with the least that it must', () => {
    expect(judgeShape(least)).toBe('known');
    expect(judgeShape({ ...least, ...optional })).toBe('known');
  });

  it('lacks none of its fields, the envelope included (RCD-02, RCD-50)', () => {
    for (const field of Object.keys(least)) {
      const { [field]: _gone, ...rest } = least as Record<string, unknown>;
      expect(judgeShape(rest), `without ${field}`).toMatchObject({ problem: expect.any(String) });
    }
  });

  it('leaves an optional field out rather than empty (RCD-06)', () => {
    for (const field of Object.keys(optional)) {
      expect(judgeShape({ ...least, [field]: undefined }), field).toMatchObject({
        problem: expect.any(String),
      });
    }
  });

  it('belongs to a child, or has a turn, only where the vocabulary says so (RCD-02, RCD-09)', () => {
    const both = { ...required, ...optional };
    if (!('conv' in both)) expect(judgeShape({ ...least, conv: 1 })).toMatchObject({ foreign: false });
    if (!('turn' in both)) expect(judgeShape({ ...least, turn: 1 })).toMatchObject({ foreign: false });
  });

  it('takes fields that it does not know yet (RCD-08)', () => {
    expect(judgeShape({ ...least, later: 1 })).toBe('known');
  });
});
