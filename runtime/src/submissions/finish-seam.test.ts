import { afterEach, describe, expect, it } from 'vitest';
import { dispatch } from '../app/dispatch.ts';
import { init } from '../app/init.ts';
import { startTest, type TestRuntime, until } from '../app/runtime.test.support.ts';
import { useAgentFinish } from '../engine/hooks/use-agent-finish.ts';
import { useAgentStart } from '../engine/hooks/use-agent-start.ts';
import { useDelivery } from '../engine/hooks/use-delivery.ts';
import { useDispatchMessage } from '../engine/hooks/use-dispatch-message.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { usePersistentState } from '../engine/hooks/use-persistent-state.ts';
import { useResponseFinish } from '../engine/hooks/use-response-finish.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { scriptModel } from '../testing/script-model.ts';

import {
  batchesOf,
  call,
  failureOf,
  gate,
  ofType,
  persistent,
  recordsOf,
  send,
} from './seams.test.support.ts';

let flue: TestRuntime | undefined;
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
});

describe('a finish hook', () => {
  it('sees what the response came to, and makes the model go on until it appends nothing (FIN-01, FIN-02, FIN-04)', async () => {
    const seen: unknown[] = [];
    function Checker() {
      useModel('offline/script');
      useTool({ name: 'look', description: 'Looks.', run: () => 'ok' });
      useTool({
        name: 'fail',
        description: 'Fails.',
        run: () => {
          throw new Error('no');
        },
      });
      useAgentFinish(({ append, response }) => {
        seen.push({ ...response, usage: response.usage.totalTokens });
        if (response.toolCalls.length < 2) append({ kind: 'signal', type: 'check', body: 'Try again.' });
      });
    }
    const usage = { input: 4, output: 6 };
    const script = scriptModel({
      steps: [
        { ...call('fail'), usage },
        { text: 'I failed.', usage },
        { ...call('look'), usage },
        { text: 'Done.', usage },
      ],
    });
    flue = await startTest({ agents: [Checker] });
    expect((await send(Checker, 'x')).text).toBe('Done.');
    const fail = { tool: 'fail', isError: true };
    expect(seen).toEqual([
      { toolCalls: [fail], usage: 20, text: 'I failed.' },
      { toolCalls: [fail, { tool: 'look', isError: false }], usage: 40, text: 'Done.' },
    ]);
    expect(script.requests[2]!.messages.at(-1)).toMatchObject({
      role: 'user',
      content: [{ text: expect.stringContaining('Try again.') }],
    });
  });

  it('runs when nothing waits to join any more, once for several messages (FIN-03, JOI-02)', async () => {
    const { pass, open, state } = gate();
    let finishes = 0;
    function Desk() {
      useModel('offline/script');
      useTool({ name: 'wait', description: 'Waits.', run: pass });
      useAgentFinish(() => {
        finishes += 1;
      });
    }
    scriptModel({ steps: [call('wait'), { text: 'Both.' }] });
    flue = await startTest({ agents: [Desk] });
    const first = send(Desk, 'one');
    await until(() => state.waiting === 1);
    const second = send(Desk, 'two');
    await until(async () => ofType(await recordsOf(Desk), 'user_message').length === 2);
    open();
    await Promise.all([first, second]);
    expect(finishes).toBe(1);
  });

  it('that sends a message has it join the same response, and runs again at the new end (FIN-03)', async () => {
    let finishes = 0;
    const starts: string[] = [];
    function Desk() {
      useModel('offline/script');
      const dispatchMessage = useDispatchMessage();
      const { body } = useDelivery();
      useAgentStart(() => void starts.push(body));
      useAgentFinish(async () => {
        finishes += 1;
        if (finishes === 1) await dispatchMessage('follow up');
      });
    }
    scriptModel({ steps: [{ text: 'One.' }, { text: 'Two.' }] });
    flue = await startTest({ agents: [Desk] });
    expect((await send(Desk, 'x')).text).toBe('Two.');
    expect(finishes).toBe(2);
    expect(starts).toEqual(['x', 'follow up']);
    expect(ofType(await recordsOf(Desk), 'submission_settled')).toHaveLength(2);
  });

  it('keeps what it writes although it appends nothing (FIN-01, STC-01)', async () => {
    function Desk() {
      useModel('offline/script');
      const [, setDone] = usePersistentState('done', 0);
      useAgentFinish(() => setDone((before) => before + 1));
    }
    scriptModel({ steps: [{ text: 'One.' }] });
    flue = await startTest({ agents: [Desk] });
    await send(Desk, 'x');
    expect((await batchesOf(Desk)).at(-1)).toEqual(['state_written', 'submission_settled']);
  });

  it('that was evaluated before a crash is not evaluated again; one that was cut is, as a whole (FIN-05, REC-16)', async () => {
    const boot = persistent();
    const { pass, state } = gate();
    let hang = true;
    const runs: number[] = [];
    function Desk() {
      useModel('offline/script');
      const [, setTries] = usePersistentState('tries', 0);
      useTool({ name: 'wait', description: 'Waits.', run: pass });
      useAgentFinish(async ({ append, response }) => {
        runs.push(response.toolCalls.length);
        if (response.toolCalls.length > 0) return;
        setTries((before) => before + 1);
        append({ kind: 'signal', type: 'again', body: '' });
        if (hang) await pass();
      });
    }
    const script = scriptModel({ steps: [{ text: 'One.' }, call('wait'), { text: 'Two.' }] });
    flue = await boot([Desk]);
    const { dispatchId } = await dispatch(Desk, { id: 'a', message: 'x' });
    await until(() => state.waiting === 1);
    await flue.stop({ timeoutMs: 0 });

    hang = false;
    flue = await boot([Desk]);
    await until(() => state.waiting === 2);
    await flue.stop({ timeoutMs: 0 });

    flue = await boot([Desk]);
    expect((await init(Desk, { id: 'a' }).read(dispatchId)).text).toBe('Two.');
    expect(runs).toEqual([0, 0, 1]);
    expect(script.requests).toHaveLength(3);
    const records = await recordsOf(Desk);
    expect(ofType(records, 'signal').filter(({ signalType }) => signalType === 'again')).toHaveLength(1);
    expect(ofType(records, 'state_written')).toMatchObject([{ name: 'tries', value: 1 }]);
  });

  it('may continue a response 32 times, counted over restarts, and then fails it (FIN-06, JOI-08)', async () => {
    const boot = persistent();
    const { pass, state } = gate();
    let evaluations = 0;
    function Stubborn() {
      useModel('offline/script');
      const [, setTries] = usePersistentState('tries', 0);
      useAgentFinish(async ({ append }) => {
        evaluations += 1;
        setTries((before) => before + 1);
        append({ kind: 'signal', type: 'again', body: '' });
        if (evaluations === 20) await pass();
      });
    }
    const script = scriptModel({ steps: () => ({ text: 'No.' }) });
    flue = await boot([Stubborn]);
    const { dispatchId } = await dispatch(Stubborn, { id: 'a', message: 'x' });
    await until(() => state.waiting === 1);
    await flue.stop({ timeoutMs: 0 });

    flue = await boot([Stubborn]);
    const failure = await failureOf(init(Stubborn, { id: 'a' }).read(dispatchId));
    expect(failure).toMatchObject({
      outcome: 'failed',
      cause: {
        type: 'operation_failed',
        meta: { category: 'hook', hook: 'useAgentFinish', limit: 32, agent: 'Stubborn', rule: 'FLUE2308' },
      },
    });
    expect(flue.log.join('')).toContain('give up after a bounded number of tries');
    // The 20th was cut and ran again: 33 evaluations that count.
    expect(evaluations).toBe(34);
    expect(script.requests).toHaveLength(33);
    const records = await recordsOf(Stubborn);
    const cycles = ofType(records, 'seam_closed').filter(({ seam }) => seam === 'finish');
    expect(cycles).toHaveLength(32);
    // What the refused evaluation wrote never happened.
    expect(ofType(records, 'state_written').at(-1)).toMatchObject({ value: 32 });
  });

  it('does not count messages that join (FIN-06, JOI-08)', async () => {
    let finishes = 0;
    function Busy() {
      useModel('offline/script');
      const dispatchMessage = useDispatchMessage();
      useAgentFinish(async () => {
        finishes += 1;
        if (finishes <= 40) await dispatchMessage(`more ${finishes}`);
      });
    }
    scriptModel({ steps: () => ({ text: 'Ok.' }) });
    flue = await startTest({ agents: [Busy] });
    expect((await send(Busy, 'x')).text).toBe('Ok.');
    expect(finishes).toBe(41);
  });

  it('does not win time: the deadline ends the response that it continued (FIN-07, JOI-07)', async () => {
    function Slow() {
      useModel('offline/script');
      useAgentFinish(async ({ append }) => {
        await flue!.clock.sleep(300);
        append({ kind: 'signal', type: 'again', body: '' });
      });
    }
    Slow.durability = { timeoutMs: 1000 };
    scriptModel({ steps: () => ({ text: 'Ok.' }) });
    flue = await startTest({ agents: [Slow] });
    const failure = await flue.during(failureOf(send(Slow, 'x')), 50);
    expect(failure).toMatchObject({ outcome: 'failed', cause: { type: 'submission_timeout' } });
    const cycles = ofType(await recordsOf(Slow), 'seam_closed').filter(({ seam }) => seam === 'finish');
    expect(cycles).toHaveLength(4);
  });

  it('is not run for a response that failed or was stopped (SEAM-07)', async () => {
    const runs: string[] = [];
    const { pass, state } = gate();
    function Desk() {
      useModel('offline/script');
      useTool({ name: 'wait', description: 'Waits.', run: pass });
      useAgentFinish(() => void runs.push('finish'));
      useResponseFinish(() => void runs.push('response finish'));
    }
    scriptModel({ steps: [{ error: { transient: false } }, call('wait')] });
    flue = await startTest({ agents: [Desk] });
    expect(await failureOf(send(Desk, 'x'))).toMatchObject({ outcome: 'failed' });
    const stopped = failureOf(send(Desk, 'y'));
    await until(() => state.waiting === 1);
    await init(Desk, { id: 'a' }).abort();
    expect(await stopped).toMatchObject({ outcome: 'aborted' });
    expect(runs).toEqual([]);
  });

  it('that is stopped after the answer leaves the answer complete (REC-08)', async () => {
    const { pass, state } = gate();
    let fired = false;
    function Desk() {
      useModel('offline/script');
      useAgentFinish(({ signal }) => {
        signal.addEventListener('abort', () => {
          fired = true;
        });
        return pass();
      });
    }
    scriptModel({ steps: [{ text: 'The answer.' }] });
    flue = await startTest({ agents: [Desk] });
    const reply = send(Desk, 'x');
    await until(() => state.waiting === 1);
    await init(Desk, { id: 'a' }).abort();
    expect((await reply).text).toBe('The answer.');
    expect(fired).toBe(true);
  });
});
