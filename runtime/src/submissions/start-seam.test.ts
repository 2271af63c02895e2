import { afterEach, describe, expect, it } from 'vitest';
import { dispatch } from '../app/dispatch.ts';
import { init } from '../app/init.ts';
import { startTest, type TestRuntime, until } from '../app/runtime.test.support.ts';
import { useAgentStart } from '../engine/hooks/use-agent-start.ts';
import { useDataWriter } from '../engine/hooks/use-data-writer.ts';
import { useDelivery } from '../engine/hooks/use-delivery.ts';
import { useDispatchMessage } from '../engine/hooks/use-dispatch-message.ts';
import { useInstruction } from '../engine/hooks/use-instruction.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { usePersistentState } from '../engine/hooks/use-persistent-state.ts';
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

describe('a start hook', () => {
  it('changes tools, instructions and state of the very first model call (START-05, AGENT-07)', async () => {
    function Tenant() {
      useModel('offline/script');
      const [plan, setPlan] = usePersistentState('plan', 'unknown');
      useAgentStart(async () => {
        await Promise.resolve();
        setPlan('gold');
      });
      if (plan === 'gold') {
        useTool({ name: 'upgrade', description: 'Upgrades.', run: () => 'ok' });
        useInstruction('A gold customer.');
      }
    }
    const script = scriptModel({ steps: [{ text: 'Hi.' }] });
    flue = await startTest({ agents: [Tenant] });
    await send(Tenant, 'x');
    const [request] = script.requests;
    expect(request!.tools.map(({ name }) => name)).toContain('upgrade');
    expect(request!.systemPrompt).toContain('A gold customer.');
    // NARR-02: what changed before the first call is no news.
    expect(ofType(await recordsOf(Tenant), 'signal')).toEqual([]);
  });

  it('runs for each message that joins, sees that message, and what it appends is read before the next call (START-01, JOI-05, DLV-01, DLV-02)', async () => {
    const { pass, open, state } = gate();
    const seen: string[] = [];
    function Desk() {
      useModel('offline/script');
      const { body } = useDelivery();
      useAgentStart(({ append }) => {
        seen.push(body);
        append({ kind: 'signal', type: 'seen', body });
      });
      useTool({ name: 'wait', description: 'Waits.', run: pass });
    }
    const script = scriptModel({ steps: [call('wait'), { text: 'All.' }] });
    flue = await startTest({ agents: [Desk] });
    const first = send(Desk, 'one');
    await until(() => state.waiting === 1);
    const others = ['two', 'three'].map((text) => send(Desk, text));
    await until(async () => ofType(await recordsOf(Desk), 'user_message').length === 3);
    open();
    const replies = await Promise.all([first, ...others]);
    expect(replies.map(({ text }) => text)).toEqual(['All.', 'All.', 'All.']);
    expect(seen).toEqual(['one', 'two', 'three']);
    const batches = await batchesOf(Desk);
    expect(batches.slice(batches.findIndex((batch) => batch[0] === 'call_settled') + 1)).toEqual([
      ['submission_moved'],
      ['signal seen', 'start seam', 'submission_moved'],
      ['signal seen', 'start seam'],
      ['assistant_message', 'submission_settled', 'submission_settled', 'submission_settled'],
    ]);
    const texts = script.requests[1]!.messages.slice(-4).map((message) => JSON.stringify(message.content));
    expect(texts.map((text) => /one|two|three/.exec(text)?.[0])).toEqual(['two', 'two', 'three', 'three']);
    // An append carries its delivery's id and is none itself.
    const appended = ofType(await recordsOf(Desk), 'signal');
    expect(appended.map(({ submissionId }) => submissionId)).toEqual(replies.map((r) => r.submissionId));
  });

  it('that sends a message sees it join at the following boundary, once (JOI-09)', async () => {
    const bodies: string[] = [];
    function Echo() {
      useModel('offline/script');
      const dispatchMessage = useDispatchMessage();
      const { body } = useDelivery();
      useAgentStart(async () => {
        bodies.push(body);
        if (body === 'one') await dispatchMessage('two');
      });
    }
    const script = scriptModel({ steps: [{ text: 'First.' }, { text: 'Second.' }] });
    flue = await startTest({ agents: [Echo] });
    // The other one joins at the first boundary too, after the sender's seam has committed.
    const replies = await Promise.all(['one', 'other'].map((message) => send(Echo, message)));
    expect(replies.map(({ text }) => text)).toEqual(['Second.', 'Second.']);
    expect(bodies).toEqual(['one', 'other', 'two']);
    const texts = script.requests.map(({ messages }) => JSON.stringify(messages));
    expect(texts.map((text) => text.includes('other'))).toEqual([true, true]);
    expect(texts.map((text) => text.includes('two'))).toEqual([false, true]);
  });

  it('that throws fails the submission and leaves nothing, and the next message is served (SEAM-02, SEAM-03, ERRS-01)', async () => {
    let broken = true;
    function Desk() {
      useModel('offline/script');
      const [, setVisits] = usePersistentState('visits', 0);
      useAgentStart(({ append }) => {
        setVisits(7);
        append({ kind: 'signal', type: 'note', body: 'secret' });
        if (broken) throw new Error('the desk is closed');
      });
    }
    const script = scriptModel({ steps: [{ text: 'Hi.' }] });
    flue = await startTest({ agents: [Desk] });
    const failure = await failureOf(send(Desk, 'x'));
    expect(failure).toMatchObject({
      outcome: 'failed',
      cause: {
        type: 'operation_failed',
        meta: {
          category: 'hook',
          hook: 'useAgentStart',
          hookIndex: 0,
          agent: 'Desk',
          ref: expect.any(String),
        },
      },
    });
    // The author's text stays in the log (ERRS-01).
    expect(JSON.stringify(await recordsOf(Desk))).not.toContain('the desk is closed');
    expect(flue.log.join('')).toContain('the desk is closed');
    expect(script.requests).toHaveLength(0);
    const records = await recordsOf(Desk);
    expect(ofType(records, 'state_written')).toEqual([]);
    expect(ofType(records, 'signal').map(({ signalType }) => signalType)).toEqual(['submission_interrupted']);
    broken = false;
    expect((await send(Desk, 'y')).text).toBe('Hi.');
  });

  it('that an interruption cuts runs again as a whole; one that committed does not (SEAM-02, START-04, REC-16)', async () => {
    const boot = persistent();
    const { pass, state } = gate();
    let interrupt = true;
    const runs: string[] = [];
    function Desk() {
      useModel('offline/script');
      const [, setVisits] = usePersistentState('visits', 0);
      useAgentStart(async ({ append }) => {
        runs.push('start');
        setVisits((before) => before + 1);
        append({ kind: 'signal', type: 'note', body: '' });
        if (interrupt) await pass();
      });
      useTool({ name: 'wait', description: 'Waits.', run: pass });
    }
    const script = scriptModel({ steps: [call('wait'), { text: 'Done.' }] });
    flue = await boot([Desk]);
    const { dispatchId } = await dispatch(Desk, { id: 'a', message: 'x' });
    await until(() => state.waiting === 1);
    await flue.stop({ timeoutMs: 0 });

    interrupt = false;
    flue = await boot([Desk]);
    expect(ofType(await recordsOf(Desk), 'state_written')).toHaveLength(0);
    await until(() => state.waiting === 2);
    expect(runs).toEqual(['start', 'start']);
    await flue.stop({ timeoutMs: 0 });

    flue = await boot([Desk]);
    expect((await init(Desk, { id: 'a' }).read(dispatchId)).text).toBe('Done.');
    expect(runs).toEqual(['start', 'start']);
    const records = await recordsOf(Desk);
    expect(ofType(records, 'state_written')).toMatchObject([{ name: 'visits', value: 1 }]);
    expect(ofType(records, 'signal').filter(({ signalType }) => signalType === 'note')).toHaveLength(1);
    expect(script.requests).toHaveLength(2);
  });

  it('of a message that joined runs again when it was cut, and only that one (JOI-05, START-04)', async () => {
    const boot = persistent();
    const { pass, state, open } = gate();
    let hang = true;
    const runs: string[] = [];
    function Desk() {
      useModel('offline/script');
      const { body } = useDelivery();
      useAgentStart(async ({ append }) => {
        runs.push(body);
        append({ kind: 'signal', type: 'seen', body });
        if (hang && body === 'two') await pass();
      });
      useTool({ name: 'wait', description: 'Waits.', run: pass });
    }
    scriptModel({ steps: [call('wait'), { text: 'Both.' }] });
    flue = await boot([Desk]);
    const first = await dispatch(Desk, { id: 'a', message: 'one' });
    await until(() => state.waiting === 1);
    const second = await dispatch(Desk, { id: 'a', message: 'two' });
    open();
    await until(() => state.waiting === 2);
    await flue.stop({ timeoutMs: 0 });

    hang = false;
    flue = await boot([Desk]);
    const texts = await Promise.all(
      [first, second].map(({ dispatchId }) => init(Desk, { id: 'a' }).read(dispatchId)),
    );
    expect(texts.map(({ text }) => text)).toEqual(['Both.', 'Both.']);
    expect(runs).toEqual(['one', 'two', 'two']);
    const seen = ofType(await recordsOf(Desk), 'signal').filter(({ signalType }) => signalType === 'seen');
    expect(seen.map(({ body }) => body)).toEqual(['one', 'two']);
  });

  it('holds data that it writes until the first completed step (DATA-05)', async () => {
    function Desk() {
      useModel('offline/script');
      const eta = useDataWriter('eta');
      useAgentStart(() => {
        eta('soon');
        eta('Friday');
      });
    }
    scriptModel({ steps: [{ error: {} }, { text: 'Hi.' }] });
    flue = await startTest({ agents: [Desk], model: { retryBaseMs: 10 } });
    const reply = await flue.during(send(Desk, 'x'));
    expect(reply.data).toEqual({ eta: ['soon', 'Friday'] });
    expect((await batchesOf(Desk)).slice(-2)).toEqual([
      ['assistant_message'],
      ['assistant_message', 'data_written', 'data_written', 'submission_settled'],
    ]);
  });
});
