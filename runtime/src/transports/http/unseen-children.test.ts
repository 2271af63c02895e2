import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { init } from '../../app/init.ts';
import { until } from '../../app/runtime.test.support.ts';
import type { LiveChunk } from '../../conversation/projections/chunk.ts';
import { useAgentFinish } from '../../engine/hooks/use-agent-finish.ts';
import { useAgentStart } from '../../engine/hooks/use-agent-start.ts';
import { useModel } from '../../engine/hooks/use-model.ts';
import { useTool } from '../../engine/hooks/use-tool.ts';
import type { AgentContract } from '../client/agent-contract.ts';
import { createConnect } from '../client/connect.ts';
import type { AgentAccessor } from '../client/contract.ts';
import { readEvents } from './event-reader.fixture.ts';
import { createAgentRouter } from './router.ts';
import { type Served, serve } from './served-agent.fixture.ts';

/*
 * Whatever an agent says, calls, shows and logs in its scratch conversations holds the word "hidden"; nobody who reads
 * the conversation over any way ever finds it.
 */

const PNG = 'iVBORw0KGgo=';

function Desk() {
  useModel('offline/script');
  useAgentStart(async ({ harness }) => void (await harness.prompt('hidden start')));
  useAgentFinish(async ({ harness }) => void (await harness.prompt('hidden finish')));
  useTool({
    name: 'hidden_tool',
    description: 'Called in scratch conversations alone.',
    run({ log }) {
      log.info('hidden line');
      return 'hidden result';
    },
  });
  useTool({
    name: 'work',
    description: 'Works.',
    harness: true,
    async run({ harness }) {
      await harness.prompt('hidden prompt', {
        images: [{ type: 'image', data: PNG, mimeType: 'image/png' }],
      });
      await harness.compact();
      return 'worked';
    },
  });
  return 'Be a desk.';
}

let served: Served;
beforeAll(async () => {
  served = await serve(
    ({ messages, options }) => {
      if (options.purpose !== 'agent') return { text: 'hidden summary' };
      const first = JSON.stringify(messages[0]);
      const isAnswered = messages.some(({ role }) => role === 'tool');
      if (!first.includes('hidden')) {
        return isAnswered ? { text: 'Done.' } : { toolCalls: [{ name: 'work', arguments: {} }] };
      }
      const mayCall = first.includes('hidden prompt') && !isAnswered;
      return mayCall
        ? {
            thinking: 'hidden thought',
            text: 'hidden text',
            toolCalls: [{ name: 'hidden_tool', arguments: {} }],
          }
        : { text: 'hidden answer' };
    },
    { agents: [Desk] },
  );
  served.app.route('/agents/desk', createAgentRouter(Desk));
});
afterAll(() => served.stop());

const URL_ = 'http://flue.test/agents/desk';
const get = (path: string) => served.app.fetch(new Request(`${URL_}/${path}`));

/** The tool's name stands in what the agent mounts, which no reader gets either. */
function expectUnseen(told: unknown): void {
  const text = JSON.stringify(told);
  expect(text).toContain('Done.');
  expect(text).not.toContain('hidden');
  expect(text).not.toMatch(/conv_[0-9A-Z]+\.\d/);
}

describe('a scratch conversation', () => {
  it('is in no chunk that a sender gets while it goes on (HARN-04, STRM-09, RCD-14)', async () => {
    const chunks: LiveChunk[] = [];
    const reply = await init(Desk, { id: 'live' }).dispatch('Hi', { onEvent: (chunk) => chunks.push(chunk) });
    expectUnseen([chunks, reply]);
    // All of it happened.
    const { batches } = await served.runtime.store.read('agents/Desk/live', { limit: 1000 });
    const stored = batches.flatMap(({ records }) => records).join('\n');
    for (const word of ['start', 'finish', 'prompt', 'answer', 'text', 'thought', 'result'])
      expect(stored).toContain(`hidden ${word}`);
  });

  it('is in no history, no page of updates, no long-poll and no event stream (HARN-04, STRM-09)', async () => {
    await init(Desk, { id: 'http' }).dispatch('Hi');
    const live = readEvents(await get('http?view=updates&live=sse&offset=-1'));
    const frames = await live.until(
      (frame) => JSON.stringify(frame.data)?.includes('submission-settled') ?? false,
    );
    await live.cancel();
    expectUnseen(frames);
    for (const path of [
      'http',
      'http?view=history&limit=50',
      'http?view=updates&offset=-1',
      'http?view=updates&live=long-poll&offset=-1',
    ]) {
      const response = await get(path);
      expect(response.status, path).toBe(200);
      expectUnseen(await response.json());
    }
  });

  it('shows no client an image of its prompts (HARN-07, ATT-04)', async () => {
    await init(Desk, { id: 'image' }).dispatch('Hi');
    const { batches } = await served.runtime.store.read('agents/Desk/image', { limit: 1000 });
    const stored = batches.flatMap(({ records }) => records).join('\n');
    const [id] = /att_[0-9a-f]{32}/.exec(stored)!;
    expect(await served.runtime.store.attachment('agents/Desk/image', id)).toMatchObject({
      ref: { size: 8 },
    });
    expect((await get(`image/attachments/${id}`)).status).toBe(404);
  });

  it('is unknown to a client that reads a reply or observes the conversation (HARN-04, STRM-09)', async () => {
    const connect = createConnect<{ Desk: AgentAccessor<AgentContract> }, 'Desk'>({
      Desk: { identity: 'Desk', path: '/agents/desk' },
    });
    const { Desk: desk } = connect({
      baseUrl: 'http://flue.test/',
      fetch: async (url, init) => served.app.fetch(new Request(url, init)),
    });
    const conversation = desk.at('client');
    const chunks: unknown[] = [];
    const receipt = await conversation.send('Hi');
    const observation = conversation.observe();
    const snapshots: unknown[] = [];
    observation.subscribe(() => snapshots.push(structuredClone(observation.getSnapshot())));
    const reply = await conversation.read(receipt, { onEvent: (chunk) => void chunks.push(chunk) });
    await until(() => JSON.stringify(snapshots).includes('Done.'));
    observation.close();
    expectUnseen([chunks, reply, snapshots]);
  });
});
