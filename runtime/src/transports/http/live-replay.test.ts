import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Chunk, ConversationSnapshot, StreamCheckpoint } from '../../conversation/projections/chunk.ts';
import {
  applyChunk,
  emptyTranscript,
  fromSnapshot,
  snapshotAt,
} from '../../conversation/projections/transcript.ts';
import { formatOffset, ORIGIN } from '../../ports/offset.ts';
import { readEvents } from './event-reader.fixture.ts';
import { type Served, serve } from './served-agent.fixture.ts';

/** A real response with drafts, a tool call, and a delivery that is admitted between two drafts. */

let served: Served;
let second: Promise<unknown> | undefined;
const live: Chunk[] = [];
const early: ConversationSnapshot[] = [];

const words = ['Let ', 'me ', 'look ', 'for ', 'that ', 'order ', 'now.'];
const send = (body: string) => served.post('/42', { kind: 'user', body }).then((sent) => sent.json());
const history = async () => (await (await served.fetch('/42')).json()) as ConversationSnapshot;

beforeAll(async () => {
  served = await serve(({ messages }) =>
    messages.at(-1)?.role === 'user' && messages.length < 4
      ? {
          thinking: 'Hm.',
          text: words,
          chunkDelayMs: 30,
          toolCalls: [{ name: 'hold', arguments: { orderId: '7' } }],
        }
      : { text: ['It ', 'comes ', 'on ', 'Friday.'], chunkDelayMs: 30 },
  );
  served.letGo();
  const first = (await send('Where is 7?')) as { submissionId: string };
  const reader = readEvents(await served.fetch(`/42?view=updates&live=sse&offset=${ORIGIN}`));
  let settled = false;
  while (!settled) {
    const frame = await reader.next();
    if (frame?.event !== 'data') continue;
    const chunks = (frame.data as (Chunk | StreamCheckpoint)[]).filter(
      (chunk) => chunk.type !== 'stream-checkpoint',
    );
    live.push(...chunks);
    early.push(await history());
    if (chunks.some(({ type }) => type === 'message-delta')) second ??= send('And 8?');
    settled = chunks.some(
      (chunk) => chunk.type === 'submission-settled' && chunk.submissionId === first.submissionId,
    );
  }
  await served.settled('42', ((await second) as { submissionId: string }).submissionId);
  await reader.cancel();
});
afterAll(() => served.stop());

function fold(
  chunks: readonly Chunk[],
  onto: ConversationSnapshot | undefined,
  offset: string,
): ConversationSnapshot {
  const transcript = onto ? fromSnapshot(onto) : emptyTranscript({ conversationId: '', incarnation: '' });
  for (const chunk of chunks) applyChunk(transcript, chunk);
  return snapshotAt(transcript, offset);
}

async function updates(offset: string): Promise<Chunk[]> {
  const response = await served.fetch(`/42?view=updates&offset=${offset}`);
  return ((await response.json()) as Chunk[]).slice(1);
}

it('was streamed in drafts, with a delivery among them', () => {
  const deltas = live.filter(({ type }) => type === 'message-delta');
  expect(deltas.length).toBeGreaterThan(3);
  const types = live.map(({ type }) => type);
  expect(types.lastIndexOf('message-appended')).toBeGreaterThan(types.indexOf('message-delta'));
});

it('what a live reader folded is what a fresh snapshot shows (HIST-01, PC-057)', async () => {
  const fresh = await history();
  const rest = await updates(formatOffset(live.at(-1)!.position.batch));
  expect(fold([...live, ...rest], undefined, fresh.offset)).toEqual(fresh);
});

it('holds the words of users and signals as well, read from the start or as a snapshot (HIST-01, PC-056)', async () => {
  const signal = { kind: 'signal', type: 'order.shipped', body: 'Order 7 has left.' };
  const { submissionId } = (await (await served.post('/42', signal)).json()) as { submissionId: string };
  await served.settled('42', submissionId);
  const fresh = await history();
  expect(fold(await updates(ORIGIN), undefined, fresh.offset)).toEqual(fresh);
  const said = fresh.messages.filter(({ role }) => role !== 'assistant').map((one) => JSON.stringify(one));
  expect(said).toHaveLength(3);
  for (const [index, words] of ['Where is 7?', 'And 8?', signal.body].entries())
    expect(said[index]).toContain(words);
});

it('every snapshot taken meanwhile ends there too, its drafts reclaimed since (HIST-01, STRM-05)', async () => {
  const fresh = await history();
  expect(
    early.some(({ messages }) =>
      messages.some(({ parts }) => parts.some((part) => 'state' in part && part.state === 'streaming')),
    ),
  ).toBe(true);
  for (const snapshot of early) {
    expect(fold(await updates(snapshot.offset), snapshot, fresh.offset)).toEqual(fresh);
  }
});

it('a chunk that comes again is told by its position alone (SSE-07, CHNK-01)', async () => {
  const positions = live.map(({ position }) => position.batch * 1000 + position.index);
  expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
});
