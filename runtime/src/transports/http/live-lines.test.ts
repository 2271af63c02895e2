import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { init } from '../../app/init.ts';
import { createLiveLines } from '../../app/live-lines.ts';
import { liveReadersOf } from '../../app/reader-live.ts';
import { until } from '../../app/runtime.test.support.ts';
import type { LiveChunk, LogChunk, StreamCheckpoint } from '../../conversation/projections/chunk.ts';
import { configureRedaction, observe } from '../../engine/events/observe.ts';
import { useAgentFinish } from '../../engine/hooks/use-agent-finish.ts';
import { useModel } from '../../engine/hooks/use-model.ts';
import { useSubagent } from '../../engine/hooks/use-subagent.ts';
import { useTool } from '../../engine/hooks/use-tool.ts';
import type { AgentContract } from '../client/agent-contract.ts';
import { createConnect } from '../client/connect.ts';
import type { AgentAccessor } from '../client/contract.ts';
import { type Frame, readEvents } from './event-reader.fixture.ts';
import { createAgentRouter } from './router.ts';
import { type Served, serve } from './served-agent.fixture.ts';

/*
 * Lines of log among the chunks of those who read live. The tool `look` waits for the test, logs, and ends when it may.
 */

const SECRET = 'sk-0123456789abcdef';
let letGo = () => {};
let gate: Promise<void>;
let mayEnd: Promise<void>;

const look = {
  name: 'look',
  description: 'Looks.',
  async run({ log }: { log: { info(message: string, attributes?: Record<string, unknown>): void } }) {
    await gate;
    log.info('looking', { room: 7, key: SECRET });
    await mayEnd;
    return 'seen';
  },
} as const;

function Helper() {
  useTool({ ...look, name: 'peek' });
  return 'Help.';
}

function Talker() {
  useModel('offline/script');
  useTool(look);
  useSubagent({ name: 'helper', description: 'Helps.', agent: Helper });
  useAgentFinish(({ log }) => log.warn('done'));
}

let served: Served;
beforeAll(async () => {
  served = await serve(
    ({ messages }) => {
      const last = messages.at(-1)!;
      if (last.role === 'tool') return { text: 'Done.' };
      const said = JSON.stringify(last);
      if (said.includes('delegate'))
        return { toolCalls: [{ name: 'task', arguments: { agent: 'helper', prompt: 'peek' } }] };
      return { toolCalls: [{ id: 'c1', name: said.includes('peek') ? 'peek' : 'look', arguments: {} }] };
    },
    { agents: [Talker] },
  );
  configureRedaction((text) => text.replaceAll(SECRET, '[masked]'));
  served.app.route('/agents/talker', createAgentRouter(Talker));
});
afterAll(() => served.stop());
beforeEach(() => {
  gate = new Promise((resolve) => (letGo = resolve));
  mayEnd = Promise.resolve();
});

const URL_ = 'http://flue.test/agents/talker';
const get = async (path: string) => served.app.fetch(new Request(`${URL_}/${path}`));
const readers = (id: string) => liveReadersOf(served.runtime).count(`agents/Talker/${id}`);
const isLine = (chunk: LiveChunk | StreamCheckpoint): chunk is LogChunk => chunk.type === 'log';
const has = (frame: Frame, text: string) => JSON.stringify(frame.data)?.includes(text) ?? false;
const typesOf = (chunks: readonly { type: string }[]) => chunks.map(({ type }) => type);

/** Sends a message and resolves with where the conversation stands when the tool waits. */
async function calling(id: string, body = 'look'): Promise<{ offset: string; done: Promise<unknown> }> {
  const { store } = served.runtime;
  const path = `agents/Talker/${id}`;
  const done = init(Talker, { id }).dispatch(body);
  let offset = '';
  await until(async () => {
    const { batches } = await store.read(path, {}).catch(() => ({ batches: [] }));
    offset = batches.at(-1)?.offset ?? '';
    return batches.some(({ records }) => records.some((record) => record.includes('"stop":"toolUse"')));
  });
  return { offset, done };
}

describe('lines of log', () => {
  it('reach onEvent in process, in order between the recorded chunks (RCD-14, TCALL-15, SEAM-04)', async () => {
    letGo();
    const chunks: LiveChunk[] = [];
    await init(Talker, { id: 'a' }).dispatch('look', { onEvent: (chunk) => chunks.push(chunk) });
    const types = typesOf(chunks);
    const [line, finish] = chunks.filter(isLine);
    expect(line).toEqual({
      type: 'log',
      conversationId: chunks[0]!.conversationId,
      toolCallId: 'c1',
      level: 'info',
      message: 'looking',
      attributes: { room: 7, key: '[masked]', tool: 'look' },
    });
    expect(types.slice(types.indexOf('tool-input'), types.indexOf('tool-output') + 1)).toEqual([
      'tool-input',
      'message-completed',
      'log',
      'tool-output',
    ]);
    expect(finish).toEqual({
      type: 'log',
      conversationId: chunks[0]!.conversationId,
      hook: 'useAgentFinish',
      level: 'warn',
      message: 'done',
      attributes: { hookIndex: 0 },
    });
    expect(types.slice(-2)).toEqual(['log', 'submission-settled']);
  });

  it('reach an open event stream, and nobody who reads later (RCD-14)', async () => {
    const { offset, done } = await calling('sse');
    const reader = readEvents(await get(`sse?view=updates&live=sse&offset=${offset}`));
    const atHead = await reader.until(({ event }) => event === 'control');
    let end = () => {};
    mayEnd = new Promise((resolve) => (end = resolve));
    letGo();
    const [data, control] = await reader.until(({ event }) => event === 'control');
    expect(data?.data).toMatchObject([{ type: 'log', message: 'looking' }]);
    // A line has no place of its own: the stream goes on from where it stood.
    expect(control).toEqual(atHead.at(-1));
    end();
    const rest = await reader.until((frame) => has(frame, 'settled'));
    expect(JSON.stringify(rest).match(/"type":"log"/g)).toHaveLength(1);
    await done;
    await reader.cancel();
    const late = readEvents(await get('sse?view=updates&live=sse&offset=-1'));
    const replayed = await late.until((frame) => has(frame, 'settled'));
    expect(JSON.stringify(replayed)).not.toContain('"log"');
    await late.cancel();
  });

  it('answer a parked long-poll at its own offset (RCD-14, UPD-03)', async () => {
    const { offset, done } = await calling('poll');
    const parked = get(`poll?view=updates&live=long-poll&offset=${offset}`);
    await until(() => readers('poll') === 1);
    letGo();
    const response = await parked;
    const [checkpoint, line] = (await response.json()) as (LiveChunk | StreamCheckpoint)[];
    expect(checkpoint?.type).toBe('stream-checkpoint');
    expect(line).toMatchObject({ type: 'log', toolCallId: 'c1' });
    await done;
    const plain = (await (await get('poll?view=updates&offset=-1')).json()) as LiveChunk[];
    expect(typesOf(plain)).toContain('submission-settled');
    expect(typesOf(plain)).not.toContain('log');
  });

  it('reach onEvent of the client over HTTP (RCD-14)', async () => {
    const connect = createConnect<{ Talker: AgentAccessor<AgentContract> }, 'Talker'>({
      Talker: { identity: 'Talker', path: '/agents/talker' },
    });
    const { Talker: talker } = connect({
      baseUrl: 'http://flue.test/',
      fetch: async (url, init) => served.app.fetch(new Request(url, init)),
    });
    const conversation = talker.at('client');
    const receipt = await conversation.send('look');
    const chunks: LiveChunk[] = [];
    const done = conversation.read(receipt, { onEvent: (chunk) => void chunks.push(chunk as LiveChunk) });
    await until(() => typesOf(chunks).includes('tool-input') && readers('client') === 1);
    letGo();
    await done;
    expect(chunks.filter(isLine)[0]).toMatchObject({ toolCallId: 'c1', message: 'looking' });
  });

  it('of a delegate are told to nobody who reads its parent (RCD-14, STRM-09)', async () => {
    letGo();
    const chunks: LiveChunk[] = [];
    const seen: string[] = [];
    const stop = observe((event) => void (event.type === 'log' && seen.push(event.message)), {
      types: ['log'],
    });
    await init(Talker, { id: 'boss' }).dispatch('delegate', { onEvent: (chunk) => chunks.push(chunk) });
    stop();
    expect(seen).toEqual(['looking', 'done']);
    expect(chunks.filter(isLine).map(({ message }) => message)).toEqual(['done']);
  });

  it('are held for a slow reader up to a size, the newest last (RCD-14)', () => {
    const lines = createLiveLines();
    const reader = lines.listen('p');
    const line = (message: string): LogChunk => ({
      type: 'log',
      conversationId: 'c',
      level: 'info',
      message,
    });
    for (let n = 0; n < 5; n++) lines.tell('p', 3, () => line(`${n}`.repeat(100_000)));
    lines.tell('p', 9, () => line('ahead'));
    expect(reader.isDue(2)).toBe(false);
    expect(reader.merge([], 4).map((chunk) => isLine(chunk) && chunk.message[0])).toEqual(['3', '4']);
    expect(reader.isDue(4)).toBe(false);
    expect(reader.merge([], 9)).toEqual([line('ahead')]);
    reader.close();
    let built = false;
    lines.tell('p', 10, () => {
      built = true;
      return line('nobody');
    });
    expect(built).toBe(false);
  });
});
