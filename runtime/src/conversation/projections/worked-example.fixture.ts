import type { ConversationRecord } from '../records/index.ts';
import type { DecodedBatch } from './decoded-batch.ts';

/** The worked examples of the record vocabulary (records section 7), with the parts that it leaves out filled in. */

const model = { provider: 'offline', id: 'm', api: 'offline' };
const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const usage = (totalTokens: number) => ({
  input: 0,
  output: totalTokens,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens,
  cost,
});

type Loose = { type: ConversationRecord['type']; [field: string]: unknown };

/** One batch; its number also sets the second of the clock. */
export function batch(number: number, ...records: Loose[]): DecodedBatch {
  const ts = `2026-07-17T10:00:${String(number).padStart(2, '0')}.000Z`;
  return {
    batch: number,
    records: records.map(({ type, ...fields }) => {
      const head = type === 'assistant_delta' ? { v: 1, type } : { v: 1, type, ts };
      return { ...head, ...fields } as unknown as ConversationRecord;
    }),
  };
}

const A = { submissionId: 'sub_A' };
const B = { submissionId: 'sub_B' };
const call = { type: 'call', id: 'c1', tool: 'lookup_order', args: '{"orderId":"7"}', valid: true, part: 1 };

const admitA = batch(
  1,
  { type: 'conversation_opened', kind: 'root', uid: 'inst_U' },
  { type: 'user_message', ...A, body: 'Where is order 7?', acceptedAt: '2026-07-17T10:00:00.000Z' },
);
const openA = batch(
  2,
  { type: 'submission_moved', ...A, to: 'running', attempt: 1 },
  { type: 'metadata_merged', ...A, metadata: { desk: 'eu' } },
  { type: 'seam_closed', ...A, seam: 'start' },
  {
    type: 'resources_recorded',
    ...A,
    prompt: '…',
    snapshot: {
      instructions: 'x:1f',
      tools: [['lookup_order', 'x:9c']],
      skills: [],
      subagents: [],
      environment: { attached: false, cwd: '/workspace' },
    },
  },
);
const firstStep = [
  batch(3, { type: 'assistant_delta', ...A, turn: 1, part: 0, at: 0, kind: 'text', delta: 'Let me ', model }),
  batch(4, { type: 'assistant_delta', ...A, turn: 1, part: 0, at: 7, kind: 'text', delta: 'lo' }),
  batch(5, {
    type: 'assistant_message',
    ...A,
    turn: 1,
    model,
    content: [{ type: 'text', text: 'Let me look.', part: 0 }, call],
    stop: 'toolUse',
    usage: usage(40),
  }),
];
const admitB = batch(6, {
  type: 'user_message',
  ...B,
  body: 'And order 8?',
  acceptedAt: '2026-07-17T10:00:02.000Z',
});
const dataA = batch(7, { type: 'data_written', ...A, name: 'order', data: { id: '7' }, part: 2 });
const joinB = (number: number) =>
  batch(
    number,
    { type: 'submission_moved', ...B, to: 'joined', host: 'sub_A' },
    { type: 'seam_closed', ...B, seam: 'start' },
  );
const settleBoth = (totalTokens: number): Loose[] => [
  { type: 'submission_settled', ...A, outcome: 'completed', usage: usage(totalTokens) },
  {
    type: 'submission_settled',
    ...B,
    outcome: 'completed',
    answeredBySubmissionId: 'sub_A',
    usage: usage(totalTokens),
  },
];
const answer = (turn: number, text: string, part: number, totalTokens: number): Loose => ({
  type: 'assistant_message',
  ...A,
  turn,
  model,
  content: [{ type: 'text', text, part }],
  stop: 'stop',
  usage: usage(totalTokens),
});

/** A reply of two turns with one tool call, a delivery that joins, and a finish continuation; drafts 3 and 4 still there. */
export const workedExample: readonly DecodedBatch[] = [
  admitA,
  openA,
  ...firstStep,
  admitB,
  dataA,
  batch(
    8,
    { type: 'state_written', ...A, name: 'last', value: '7', call: 'c1', n: 1 },
    {
      type: 'call_settled',
      ...A,
      turn: 1,
      call: 'c1',
      tool: 'lookup_order',
      status: 'ok',
      output: { eta: 'Friday' },
      durationMs: 12,
    },
  ),
  joinB(9),
  batch(10, answer(2, 'Order 7: Friday.', 3, 55)),
  batch(
    11,
    { type: 'signal', ...A, signalType: 'check', body: 'Order 8 is not answered.' },
    { type: 'seam_closed', ...A, seam: 'finish', cycle: 1 },
  ),
  batch(12, answer(3, 'Order 8 is unknown.', 4, 70)),
  batch(13, ...settleBoth(165)),
];

/** The same, killed while the tool runs, and again while the model streams; drafts 3, 4 and 10 still there. */
export const killedExample: readonly DecodedBatch[] = [
  admitA,
  openA,
  ...firstStep,
  admitB,
  dataA,
  batch(
    8,
    { type: 'submission_moved', ...A, to: 'running', attempt: 2 },
    {
      type: 'call_settled',
      ...A,
      turn: 1,
      call: 'c1',
      tool: 'lookup_order',
      status: 'error',
      interrupted: true,
      content: [{ type: 'text', text: '{"type":"interrupted","message":"…"}' }],
    },
  ),
  joinB(9),
  batch(10, {
    type: 'assistant_delta',
    ...A,
    turn: 2,
    part: 3,
    at: 0,
    kind: 'text',
    delta: 'I could not',
    model,
  }),
  batch(
    11,
    {
      type: 'assistant_message',
      ...A,
      turn: 2,
      model,
      content: [{ type: 'text', text: 'I could not', part: 3 }],
      stop: 'aborted',
    },
    { type: 'submission_moved', ...A, to: 'running', attempt: 3 },
    { type: 'signal', ...A, signalType: 'stream_interrupted', body: '…' },
    { type: 'signal', ...A, signalType: 'stream_continued', body: '…' },
  ),
  batch(12, answer(3, ' reach the order system.', 4, 60), ...settleBoth(100)),
];

/** Batches that hold nothing but drafts of one message: what a store may reclaim once the message is complete. */
export function withoutDrafts(batches: readonly DecodedBatch[]): DecodedBatch[] {
  return batches.filter(({ records }) => records.some((record) => record?.type !== 'assistant_delta'));
}
