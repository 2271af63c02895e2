import { afterEach, describe, expect, it } from 'vitest';
import { currentRuntime } from '../../app/current.ts';
import { init } from '../../app/init.ts';
import { memory, startTest, type TestRuntime } from '../../app/runtime.test.support.ts';
import { recordId } from '../../conversation/records/index.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { scriptModel } from '../../testing/script-model.ts';
import { useAgentFinish } from '../hooks/use-agent-finish.ts';
import { useModel } from '../hooks/use-model.ts';
import { useResponseFinish } from '../hooks/use-response-finish.ts';
import { useTool } from '../hooks/use-tool.ts';
import type { FlueObservation } from './event.ts';
import { hear, ofEvent, silence } from './events.test.support.ts';
import { observe } from './observe.ts';
import { IMAGE_DATA_OMITTED } from './scrub.ts';
import { call, Looker, Plain } from './traced-agents.test.support.ts';

let flue: TestRuntime | undefined;
let heard: FlueObservation[] = [];
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
  silence();
});

const types = () => heard.map(({ type }) => type);

describe('one submission with one tool turn', () => {
  async function converse() {
    heard = hear();
    const thinking = 'Where is it?';
    scriptModel({ steps: [{ thinking, text: 'Let me look.', ...call('look') }, { text: 'Friday.' }] });
    flue = await startTest({ agents: [Looker] });
    return init(Looker, { id: 'a' }).dispatch('When?');
  }

  it('is told in the order of its work (EVT-02, SUB-08)', async () => {
    await converse();
    expect(types()).toEqual([
      'submission_queued',
      'submission_running',
      'operation_start',
      'agent_start',
      'message_start',
      'message_end',
      'turn_start',
      'turn_request',
      'message_start',
      'thinking_start',
      'thinking_delta',
      'thinking_end',
      'text_delta',
      'toolcall_delta',
      'turn',
      'message_end',
      'tool_start',
      'message_start',
      'message_end',
      'tool',
      'turn_messages',
      'turn_start',
      'turn_request',
      'message_start',
      'text_delta',
      'turn',
      'message_end',
      'turn_messages',
      'agent_end',
      'operation',
      'idle',
      'submission_settled',
    ]);
  });

  it('says of every event when it was and where it belongs, in one count (EVT-01, OBV-04)', async () => {
    const { submissionId } = await converse();
    const [queued, ...attempt] = heard;
    expect(queued).toEqual({
      v: 3,
      eventIndex: 0,
      timestamp: '1970-01-01T00:00:00.000Z',
      type: 'submission_queued',
      instanceId: 'a',
      agentName: 'Looker',
      submissionId,
      kind: 'dispatch',
    });
    expect(attempt.map(({ eventIndex }) => eventIndex)).toEqual(attempt.map((_, index) => index));
    const inside = attempt.slice(1, -1);
    const opened = inside[0]!;
    for (const event of inside) {
      expect(event).toMatchObject({
        submissionId,
        instanceId: 'a',
        conversationId: expect.stringMatching(/^conv_/),
        session: 'default',
        operationId: opened.operationId,
      });
    }
    const turns = new Set(inside.map(({ turnId }) => turnId).filter((id) => id !== undefined));
    expect([...turns]).toEqual([`res_${submissionId}.1`, `res_${submissionId}.2`]);
  });

  it('names the durable record of every message, turn and tool (EVT-11)', async () => {
    await converse();
    const { batches } = await currentRuntime()!.store.read('agents/Looker/a', { class: 'durable' });
    const places = new Map(
      batches.flatMap(({ offset, records }) =>
        records.map((body, index) => {
          const batch = Number(offset.split('_')[1]);
          return [recordId(batch, index), (JSON.parse(body) as { type: string }).type] as const;
        }),
      ),
    );
    const named = heard.flatMap((event) =>
      'recordId' in event ? [[event.type, places.get(event.recordId!)]] : [],
    );
    expect(named).toEqual([
      ['message_end', 'user_message'],
      ['turn', 'assistant_message'],
      ['message_end', 'assistant_message'],
      ['message_end', 'call_settled'],
      ['tool', 'call_settled'],
      ['turn', 'assistant_message'],
      ['message_end', 'assistant_message'],
    ]);
  });

  it('holds details that no record has (EVT-10)', async () => {
    await converse();
    expect(ofEvent(heard, 'tool_start')[0]).toMatchObject({
      origin: 'model',
      description: 'Looks.',
      args: {},
    });
    expect(ofEvent(heard, 'tool')[0]).toMatchObject({
      isError: false,
      result: { eta: 'Friday' },
      effectiveResult: { eta: 'Friday' },
      origin: 'model',
      description: 'Looks.',
    });
    expect(ofEvent(heard, 'operation')[0]).toMatchObject({
      operationKind: 'prompt',
      isError: false,
      agentInput: 'When?',
      agentOutput: 'Friday.',
      result: { text: 'Friday.' },
    });
    expect(ofEvent(heard, 'agent_end')[0]!.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
  });
});

describe('a model call', () => {
  it('streams deltas, and its message says what became of them (EVT-06, TURN-03)', async () => {
    heard = hear();
    const text = 'A text that is longer than one piece of the script, so that it streams.';
    scriptModel({ steps: [{ text, ...call('look', { a: 'some longer argument' }) }, { text: 'Done.' }] });
    flue = await startTest({ agents: [Looker] });
    await init(Looker, { id: 'a' }).dispatch('x');
    const first = heard.slice(0, types().indexOf('tool_start'));
    const deltas = ofEvent(first, 'text_delta');
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.map((event) => event.text).join('')).toBe(text);
    const args = ofEvent(first, 'toolcall_delta');
    expect(new Set(args.map(({ toolCallId, toolName }) => `${toolCallId} ${toolName}`)).size).toBe(1);
    expect(args.map((event) => event.argumentTextDelta).join('')).toBe('{"a":"some longer argument"}');
    expect(ofEvent(first, 'message_end').at(-1)!.message).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'text', text },
        { type: 'call', tool: 'look' },
      ],
    });
  });

  it('is told as it is sent: signals are rendered, images are not in it, and the model has them (EVT-07, RED-03, SCRUB-01)', async () => {
    heard = hear();
    const data = Buffer.from('the bytes of an image').toString('base64');
    const script = scriptModel({ steps: [{ text: 'A cat.' }, { text: 'Noted.' }] });
    flue = await startTest({ agents: [Plain] });
    const attachments = [{ type: 'image' as const, mimeType: 'image/png', data }];
    await init(Plain, { id: 'a' }).dispatch({ message: { kind: 'user', body: 'What is it?', attachments } });
    await init(Plain, { id: 'a' }).dispatch({
      message: { kind: 'signal', type: 'camera.moved', body: 'It moved.' },
    });
    expect(JSON.stringify(heard)).not.toContain(data);
    expect(JSON.stringify(script.requests[0]!.messages)).toContain(data);
    const requests = ofEvent(heard, 'turn_request').map(({ request }) => request.input.messages);
    const image = { type: 'image', mimeType: 'image/png', data: IMAGE_DATA_OMITTED };
    expect(requests[0]).toMatchObject([{ role: 'user', content: [{ type: 'text' }, image] }]);
    expect(ofEvent(heard, 'message_end')[0]!.message).toMatchObject({ content: [{}, image] });
    expect(requests[1]!.at(-1)).toMatchObject({
      role: 'user',
      content: [{ type: 'text', text: expect.stringContaining('<signal type="camera.moved">') }],
    });
  });

  it('of a long conversation is told with the copies that were made before (OBV-02, EVT-12)', async () => {
    heard = hear(['turn_request']);
    scriptModel({ steps: () => ({ text: 'Noted.' }) });
    flue = await startTest({ agents: [Plain] });
    for (const text of ['1', '2', '3', '4', '5']) await init(Plain, { id: 'a' }).dispatch(text);
    const [fourth, fifth] = ofEvent(heard, 'turn_request')
      .slice(-2)
      .map(({ request }) => request.input.messages);
    // The newest ones can still change, so they are made anew for each request.
    expect([fourth!.length, fifth!.length]).toEqual([7, 9]);
    for (const place of [0, 1, 2]) expect(fifth![place]).toBe(fourth![place]);
    expect(fifth!.at(-1)).toEqual({ role: 'user', content: [{ type: 'text', text: '5' }] });
  });

  it('tells the usage of each turn and of the whole, of which one level is to be summed (EVT-08, USAGE-05)', async () => {
    heard = hear();
    let atFinish = 0;
    function Counter() {
      Looker();
      useResponseFinish(({ response }) => {
        atFinish = response.usage.totalTokens;
      });
    }
    scriptModel({
      steps: [
        { ...call('look'), usage: { input: 10, totalTokens: 10 } },
        { text: 'Done.', usage: { input: 20, totalTokens: 21 } },
      ],
    });
    flue = await startTest({ agents: [Counter] });
    const reply = await init(Counter, { id: 'a' }).dispatch('x');
    const turns = ofEvent(heard, 'turn').map(({ response }) => response.usage!.totalTokens);
    expect(turns).toEqual([10, 21]);
    const [operation] = ofEvent(heard, 'operation');
    expect([operation!.usage!.totalTokens, reply.usage!.totalTokens, atFinish]).toEqual([31, 31, 31]);
  });
});

describe('lines of log', () => {
  it('of tools and hooks are events with where they come from, and no record or model has them (LOGE-01, LOGE-02)', async () => {
    heard = hear(['log']);
    function Talker() {
      useModel('offline/script');
      useTool({
        name: 'look',
        description: 'Looks.',
        run: ({ log }) => void log.info('looking', { at: 'shelf' }),
      });
      useAgentFinish(({ log }) => log.warn('finishing'));
    }
    const script = scriptModel({ steps: [call('look'), { text: 'Done.' }] });
    flue = await startTest({ agents: [Talker] });
    const { submissionId } = await init(Talker, { id: 'a' }).dispatch('x');
    expect(heard).toMatchObject([
      {
        level: 'info',
        message: 'looking',
        attributes: { at: 'shelf', tool: 'look', toolCallId: expect.any(String) },
        submissionId,
        instanceId: 'a',
        agentName: 'Talker',
      },
      { level: 'warn', message: 'finishing', attributes: { hook: 'useAgentFinish', hookIndex: 0 } },
    ]);
    expect(JSON.stringify(await flue.records('Talker', 'a'))).not.toContain('looking');
    expect(JSON.stringify(script.requests)).not.toContain('looking');
    expect(flue.log.join('')).toContain('[flue] warn finishing');
  });
});

describe('whoever observes', () => {
  it('changes nothing: the records are the same, whatever subscribers do (SUB-08, OBV-02)', async () => {
    const run = async (subscriber?: (event: FlueObservation) => void) => {
      const end = subscriber ? observe(subscriber) : () => {};
      scriptModel({ steps: [{ text: 'Let me look.', ...call('look') }, call('fail'), { text: 'Friday.' }] });
      const clock = fakeClock();
      flue = await startTest({ agents: [Looker], clock, db: memory(clock) });
      await init(Looker, { id: 'a' }).dispatch('When?');
      end();
      const records = await flue.records('Looker', 'a');
      await flue.stop();
      return JSON.stringify(records).replaceAll(/(sub|inst|inc)_[0-9A-Z]{26}/g, '$1_ID');
    };
    const alone = await run();
    const observed = await run(() => {
      throw new Error('I am broken.');
    });
    expect(observed).toBe(alone);
  });
});
