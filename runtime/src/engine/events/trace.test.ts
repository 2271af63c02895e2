import { afterEach, describe, expect, it } from 'vitest';
import { currentRuntime } from '../../app/current.ts';
import { dispatch } from '../../app/dispatch.ts';
import { init } from '../../app/init.ts';
import { memory, startTest, type TestRuntime, temporaryFile, until } from '../../app/runtime.test.support.ts';
import { recordId } from '../../conversation/records/index.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { scriptModel } from '../../testing/script-model.ts';
import { useAgentFinish } from '../hooks/use-agent-finish.ts';
import { useModel } from '../hooks/use-model.ts';
import { useResponseFinish } from '../hooks/use-response-finish.ts';
import { useSubagent } from '../hooks/use-subagent.ts';
import { useTool } from '../hooks/use-tool.ts';
import type { FlueObservation } from './event.ts';
import { hear, ofEvent, silence } from './events.test.support.ts';
import { observe } from './observe.ts';
import { IMAGE_DATA_OMITTED } from './scrub.ts';

let flue: TestRuntime | undefined;
let heard: FlueObservation[] = [];
const files: { remove(): void }[] = [];
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
  silence();
  for (const file of files.splice(0)) file.remove();
});

function Looker() {
  useModel('offline/script');
  useTool({ name: 'look', description: 'Looks.', run: () => ({ eta: 'Friday' }) });
  useTool({
    name: 'fail',
    description: 'Fails.',
    run() {
      throw new RangeError('out of stock');
    },
  });
}

function Plain() {
  useModel('offline/script');
}

const call = (name: string, args: object = {}) => ({ toolCalls: [{ name, arguments: args }] });
const types = () => heard.map(({ type }) => type);
const settledOf = (submissionId: string) =>
  ofEvent(heard, 'submission_settled').filter((event) => event.submissionId === submissionId);
const idOf = (agent: unknown) => (agent as { name: string }).name;

/** Where a text holds frames of a stack. */
function stacksIn(value: unknown, place: string): string[] {
  if (typeof value === 'string') return /\n\s+at /.test(value) ? [place] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => stacksIn(item, `${place}.${key}`));
}

/** A tool that answers when the test opens the gate, and an agent that waits for it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const state = { calls: 0 };
  function Waiter() {
    useModel('offline/script');
    useTool({
      name: 'wait',
      description: 'Waits.',
      async run() {
        state.calls += 1;
        await opened;
        return 'waited';
      },
    });
  }
  return { open: () => open(), state, Waiter };
}

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

describe('a submission that does not complete', () => {
  it('is settled once, and says with what, without a stack in what is recorded (EVT-03, OBS-01, OBS-03)', async () => {
    heard = hear();
    scriptModel({ steps: [{ error: { message: 'no such region', transient: false } }] });
    flue = await startTest({ agents: [Plain] });
    const failure = await init(Plain, { id: 'a' })
      .dispatch('x')
      .catch((error: { submissionId: string }) => error);
    const { submissionId } = failure as { submissionId: string };
    const [settled, ...more] = settledOf(submissionId);
    expect(more).toEqual([]);
    expect(settled).toMatchObject({
      outcome: 'failed',
      error: { type: 'operation_failed', message: expect.stringContaining('no such region') },
      errorInfo: {
        type: 'operation_failed',
        name: 'OperationFailedError',
        meta: { category: 'provider' },
        stack: expect.stringContaining('turn-failure'),
      },
    });
    expect(JSON.stringify(settled!.error)).not.toContain('turn-failure');
    const [turn] = ofEvent(heard, 'turn');
    expect(turn).toMatchObject({
      isError: true,
      response: { finishReason: 'error', error: { message: expect.stringContaining('no such region') } },
    });
    expect(ofEvent(heard, 'operation')).toMatchObject([
      { isError: true, errorInfo: { type: 'operation_failed', stack: expect.any(String) } },
    ]);
  });

  it('by request closes what it had begun, and what was interrupted has no tool event (EVT-03, EVT-05)', async () => {
    heard = hear();
    const { Waiter, state } = gate();
    scriptModel({ steps: [call('wait')] });
    flue = await startTest({ agents: [Waiter] });
    const { dispatchId } = await dispatch(Waiter, { id: 'a', message: 'x' });
    await until(() => state.calls === 1);
    await init(Waiter, { id: 'a' }).abort();
    await until(() => settledOf(dispatchId).length > 0);
    expect(settledOf(dispatchId)).toMatchObject([
      {
        outcome: 'aborted',
        error: { type: 'submission_aborted' },
        errorInfo: { type: 'submission_aborted' },
      },
    ]);
    expect(types().filter((type) => type.startsWith('operation'))).toEqual(['operation_start', 'operation']);
    expect(types()).toContain('tool_start');
    expect(types()).not.toContain('tool');
  });

  it('by its deadline is settled too, with what the runtime did about it (EVT-03, EVT-13)', async () => {
    heard = hear();
    const clock = fakeClock();
    scriptModel({ steps: [{ text: 'Never.', stallMs: 2 * 3_600_000 }] });
    flue = await startTest({ agents: [Plain], clock, model: { idleTimeoutMs: 0 } });
    const failed = init(Plain, { id: 'a' })
      .dispatch('x')
      .catch(() => undefined);
    await flue.during(failed, 30_000);
    expect(ofEvent(heard, 'submission_settled')).toMatchObject([
      { outcome: 'failed', errorInfo: { type: 'submission_timeout' } },
    ]);
    expect(ofEvent(heard, 'submission_recovery')).toMatchObject([
      {
        operation: 'enforce_deadline',
        outcome: 'terminated',
        kind: 'dispatch',
        attemptCount: 1,
        maxAttempts: 10,
        error: { type: 'submission_timeout' },
      },
    ]);
  });

  it('shows stacks where observers look for them, and nowhere else (SCRUB-03, OBS-03)', async () => {
    heard = hear();
    const failing = { error: { message: 'no such region', transient: false } };
    scriptModel({ steps: [call('fail'), call('task', { agent: 'helper', prompt: 'x' }), failing, failing] });
    function Failing() {
      Boss();
      useTool({
        name: 'fail',
        description: 'Fails.',
        run({ log }) {
          const error = new RangeError('far');
          log.error('failing', { error });
          throw error;
        },
      });
    }
    flue = await startTest({ agents: [Failing] });
    await init(Failing, { id: 'a' })
      .dispatch('x')
      .catch(() => {});
    const places = new Set(heard.flatMap((event) => stacksIn(event, event.type)));
    expect([...places].sort()).toEqual([
      'operation.errorInfo.stack',
      'submission_settled.errorInfo.stack',
      'task.errorInfo.stack',
      'tool.errorInfo.stack',
    ]);
  });

  it('tells a tool that failed by the error that it threw (OBS-01, EVT-10)', async () => {
    heard = hear();
    scriptModel({ steps: [call('fail'), { text: 'Sorry.' }] });
    flue = await startTest({ agents: [Looker] });
    await init(Looker, { id: 'a' }).dispatch('x');
    expect(ofEvent(heard, 'tool')).toMatchObject([
      {
        toolName: 'fail',
        isError: true,
        errorInfo: {
          type: 'RangeError',
          message: 'out of stock',
          stack: expect.stringContaining('RangeError'),
        },
      },
    ]);
    expect(ofEvent(heard, 'submission_settled')).toMatchObject([{ outcome: 'completed' }]);
  });
});

describe('the set of busy submissions', () => {
  it('is filled by queued and running, and empty at the end: a joined one does not run, a restart runs again (EVT-04)', async () => {
    const file = temporaryFile();
    files.push(file);
    const clock = fakeClock();
    const busy = new Set<string>();
    const seen: string[] = [];
    heard = hear();
    const end = observe(
      ({ type, submissionId = '' }) => {
        seen.push(type);
        if (type === 'submission_settled') busy.delete(submissionId);
        else busy.add(submissionId);
      },
      { types: ['submission_queued', 'submission_running', 'submission_settled'] },
    );
    const { Waiter, state, open } = gate();
    scriptModel({ steps: [call('wait'), { text: 'Both.' }, { text: 'More.' }] });
    const boot = () => startTest({ agents: [Waiter], db: file.adapter(clock), clock });
    try {
      flue = await boot();
      const first = await dispatch(Waiter, { id: 'a', message: 'one' });
      await until(() => state.calls === 1);
      const second = await dispatch(Waiter, { id: 'a', message: 'two' });
      expect(busy).toEqual(new Set([first.dispatchId, second.dispatchId]));
      await flue.stop({ timeoutMs: 0 });
      await until(() => types().includes('operation'));
      expect(ofEvent(heard, 'operation')).toMatchObject([{ isError: true }]);
      busy.clear();
      open();
      flue = await boot();
      await until(() => ofEvent(heard, 'submission_settled').length === 2);
      expect(busy.size).toBe(0);
      expect(seen).toEqual([
        'submission_queued',
        'submission_running',
        'submission_queued',
        'submission_running',
        'submission_settled',
        'submission_settled',
      ]);
      const own = ofEvent(heard, 'message_end').filter((event) => event.submissionId === first.dispatchId);
      expect(own.filter(({ message }) => message.role === 'user')).toHaveLength(1);
      const joined = ofEvent(heard, 'message_end').filter(
        (event) => event.submissionId === second.dispatchId,
      );
      expect(joined).toMatchObject([{ message: { role: 'user', content: [{ text: 'two' }] } }]);
    } finally {
      end();
    }
  });

  it('hears of one admission once, however often its key is sent (EVT-04)', async () => {
    heard = hear(['submission_queued']);
    scriptModel({ steps: [{ text: 'Once.' }] });
    flue = await startTest({ agents: [Plain] });
    const send = () => dispatch(Plain, { id: 'a', message: 'x', idempotencyKey: 'k' });
    const first = await send();
    await init(Plain, { id: 'a' }).read(first.dispatchId);
    await send();
    expect(heard).toHaveLength(1);
  });
});

describe('a tool batch that an interruption cut', () => {
  it('is told where it commits: what had settled, what is executed again, and nothing of what was lost (EVT-05)', async () => {
    const file = temporaryFile();
    files.push(file);
    const clock = fakeClock();
    heard = hear();
    let waiting = false;
    let executions = 0;
    function Busy() {
      Looker();
      useTool({
        name: 'wait',
        description: 'Waits.',
        run() {
          waiting = true;
          return new Promise(() => {});
        },
      });
      useTool({
        name: 'keep',
        description: 'Keeps at it.',
        durable: true,
        async run() {
          executions += 1;
          if (executions === 1) await new Promise(() => {});
          return 'kept';
        },
      });
    }
    scriptModel({
      steps: [
        { toolCalls: ['look', 'wait', 'keep'].map((name) => ({ name, arguments: {} })) },
        { text: 'Done.' },
      ],
    });
    const boot = () => startTest({ agents: [Busy], db: file.adapter(clock), clock });
    flue = await boot();
    const { dispatchId } = await dispatch(Busy, { id: 'a', message: 'x' });
    await until(async () => {
      const records = await flue!.records('Busy', 'a');
      return waiting && executions === 1 && records.some(({ type }) => type === 'call_settled');
    });
    await flue.stop({ timeoutMs: 0 });
    await until(() => types().includes('operation'));
    expect(types()).not.toContain('tool');
    heard.splice(0);
    flue = await boot();
    await until(() => settledOf(dispatchId).length > 0);
    expect(ofEvent(heard, 'tool_start').map(({ toolName }) => toolName)).toEqual(['keep']);
    expect(ofEvent(heard, 'tool')).toMatchObject([
      { toolName: 'look', isError: false, result: { eta: 'Friday' } },
      { toolName: 'keep', isError: false, result: 'kept', description: 'Keeps at it.' },
    ]);
    const [turn] = ofEvent(heard, 'turn_messages');
    expect(turn).toMatchObject({ turnId: `res_${dispatchId}.1`, message: { role: 'assistant' } });
    expect(turn!.toolResults).toMatchObject([
      { tool: 'look' },
      { tool: 'wait', isError: true },
      { tool: 'keep' },
    ]);
  });
});

describe('a retry', () => {
  it('is told and logged with its delay and its failure; the last failure settles with the count (RETRY-08, LOGE-04)', async () => {
    heard = hear();
    scriptModel({ steps: [1, 2].map(() => ({ error: { message: 'overloaded' } })) });
    flue = await startTest({ agents: [Plain], model: { retries: 1, retryBaseMs: 1000 } });
    const failed = init(Plain, { id: 'a' })
      .dispatch('x')
      .catch((error: { cause: unknown }) => error.cause);
    const cause = await flue.during(failed);
    const [turn, again] = ofEvent(heard, 'turn');
    const retries = ofEvent(heard, 'turn_retry');
    expect(retries).toMatchObject([
      {
        turnId: turn!.turnId,
        attempt: 1,
        maxRetries: 1,
        reason: 'provider',
        error: { message: expect.stringContaining('overloaded') },
      },
    ]);
    expect(retries[0]!.delayMs).toBeGreaterThanOrEqual(750);
    expect(retries[0]!.delayMs).toBeLessThanOrEqual(1000);
    expect(again!.turnId).not.toBe(turn!.turnId);
    expect(ofEvent(heard, 'log')).toMatchObject([
      { level: 'warn', message: expect.stringContaining('[flue:model-retry]') },
    ]);
    expect(flue.log.join('')).toContain('[flue] warn [flue:model-retry]');
    expect(cause).toMatchObject({ type: 'operation_failed', meta: { attempts: 2 } });
  });

  it('after a silence says so (RETRY-07, RETRY-08)', async () => {
    heard = hear(['turn_retry', 'turn']);
    scriptModel({ steps: [{ text: 'Never.', delayMs: 600_000 }, { text: 'Here.' }] });
    flue = await startTest({ agents: [Plain], model: { idleTimeoutMs: 5_000 } });
    await flue.during(init(Plain, { id: 'a' }).dispatch('x'), 1_000);
    expect(ofEvent(heard, 'turn_retry')).toMatchObject([{ reason: 'idle', error: { type: 'idle_timeout' } }]);
    expect(ofEvent(heard, 'turn').map(({ isError }) => isError)).toEqual([true, false]);
  });
});

/** Delegates to an agent that has nothing but its instruction. */
function Boss() {
  useModel('offline/script');
  useSubagent({ name: 'helper', description: 'Helps.', agent: () => 'Help.' });
}

describe('a task', () => {
  it('is told within its own conversation, and by the call that asked for it (EVT-05, EVT-10)', async () => {
    heard = hear();
    scriptModel({
      steps: [
        call('task', { agent: 'helper', prompt: 'Count.' }),
        { text: 'Three.' },
        { text: 'It is three.' },
      ],
    });
    flue = await startTest({ agents: [Boss] });
    await init(Boss, { id: 'a' }).dispatch('How many?');
    const [start] = ofEvent(heard, 'task_start');
    const { taskId } = start!;
    expect(start).toMatchObject({
      prompt: 'Count.',
      agent: 'helper',
      toolCallId: ofEvent(heard, 'tool_start')[0]!.toolCallId,
      conversationId: taskId,
      session: `task:${taskId}`,
      parentSession: 'default',
    });
    expect(ofEvent(heard, 'task')).toMatchObject([
      {
        taskId,
        agent: 'helper',
        isError: false,
        result: 'Three.',
        agentInput: 'Count.',
        agentOutput: 'Three.',
      },
    ]);
    const inside = heard.filter((event) => event.taskId === taskId).map(({ type }) => type);
    expect(inside).toEqual([
      'message_start',
      'message_end',
      'task_start',
      'turn_start',
      'turn_request',
      'message_start',
      'text_delta',
      'turn',
      'message_end',
      'turn_messages',
      'task',
    ]);
    // Not a message of the response that delegated.
    expect(ofEvent(heard, 'agent_end')[0]!.messages).toHaveLength(4);
  });

  it('that fails says with what, and the response goes on (EVT-05, OBS-01)', async () => {
    heard = hear();
    scriptModel({
      steps: [
        call('task', { agent: 'helper', prompt: 'Count.' }),
        { error: { message: 'no credit', transient: false } },
        { text: 'No idea.' },
      ],
    });
    flue = await startTest({ agents: [Boss] });
    await init(Boss, { id: 'a' }).dispatch('How many?');
    expect(ofEvent(heard, 'task')).toMatchObject([
      { isError: true, errorInfo: { type: 'operation_failed', stack: expect.any(String) } },
    ]);
    expect(ofEvent(heard, 'submission_settled')).toMatchObject([{ outcome: 'completed' }]);
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
        agentName: idOf(Talker),
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
