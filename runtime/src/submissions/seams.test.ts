import { afterEach, describe, expect, it } from 'vitest';
import { currentRuntime } from '../app/current.ts';
import { dispatch } from '../app/dispatch.ts';
import { init } from '../app/init.ts';
import { readHistory } from '../app/reader.ts';
import { startTest, type TestRuntime, temporaryFile, until } from '../app/runtime.test.support.ts';
import type { ConversationRecord, RecordOf, RecordType } from '../conversation/records/index.ts';
import type { Agent } from '../engine/agent.ts';
import { useAgentFinish } from '../engine/hooks/use-agent-finish.ts';
import { useAgentStart } from '../engine/hooks/use-agent-start.ts';
import { useDataWriter } from '../engine/hooks/use-data-writer.ts';
import { useDelivery } from '../engine/hooks/use-delivery.ts';
import { useDispatchMessage } from '../engine/hooks/use-dispatch-message.ts';
import { useInstruction } from '../engine/hooks/use-instruction.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { usePersistentState } from '../engine/hooks/use-persistent-state.ts';
import { useResponseFinish } from '../engine/hooks/use-response-finish.ts';
import { useResponseStart } from '../engine/hooks/use-response-start.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { parseOffset } from '../ports/offset.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { scriptModel } from '../testing/script-model.ts';

let flue: TestRuntime | undefined;
const files: { remove(): void }[] = [];
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
  for (const file of files.splice(0)) file.remove();
});

const ofType = <T extends RecordType>(records: ConversationRecord[], type: T) =>
  records.filter((record): record is RecordOf<T> => record.type === type);
const recordsOf = (agent: Agent) => flue!.records(agent.name, 'a');
const send = (agent: Agent, message: string) => init(agent, { id: 'a' }).dispatch(message);
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: { outcome: string; cause: Record<string, unknown> & { meta: object } }) => error,
  );
const call = (name: string) => ({ toolCalls: [{ name, arguments: {} }] });

/** Batch by batch, what kinds of records an instance's stream holds; drafts left out. */
async function batchesOf(agent: Agent): Promise<string[][]> {
  const { batches } = await currentRuntime()!.store.read(`agents/${agent.name}/a`, { limit: 1000 });
  return batches
    .map(({ offset, records }) => ({ at: parseOffset(offset)!, records }))
    .map(({ records }) => records.map((body) => kindOf(JSON.parse(body) as ConversationRecord)));
}

function kindOf(record: ConversationRecord): string {
  if (record.type === 'signal') return `signal ${record.signalType}`;
  if (record.type === 'seam_closed') return `${record.seam} seam`;
  return record.type;
}

/** A database that outlives its process. */
function persistent() {
  const file = temporaryFile();
  files.push(file);
  const clock = fakeClock();
  return (agents: Agent[]) => startTest({ agents, db: file.adapter(clock), clock });
}

/** An await that the test ends. */
function gate() {
  let open = () => {};
  const state = { waiting: 0 };
  const pass = () => {
    state.waiting += 1;
    return new Promise<void>((resolve) => {
      open = resolve;
    });
  };
  return { state, pass, open: () => open() };
}

describe('one response', () => {
  it('passes its seams in the order of the contract, each one append (SEAM-01, SEAM-02, RESP-01, RESP-02)', async () => {
    const order: string[] = [];
    function Desk() {
      useModel('offline/script');
      const [visits, setVisits] = usePersistentState('visits', 0);
      useResponseStart(() => {
        order.push('response start');
        return { desk: 'eu' };
      });
      useAgentStart(({ append }) => {
        order.push('start');
        setVisits((before) => before + 1);
        append({ kind: 'signal', type: 'greeting', body: 'Be kind.' });
      });
      useTool({ name: 'look', description: 'Looks.', run: () => void order.push('tool') });
      useAgentFinish(({ append, response }) => {
        order.push(`finish after ${response.toolCalls.length}`);
        if (response.toolCalls.length === 0) append({ kind: 'signal', type: 'again', body: 'Look first.' });
      });
      useResponseFinish(({ response }) => {
        order.push(`response finish: ${response.text}`);
        return { calls: response.toolCalls.length };
      });
      return `Visit ${visits}.`;
    }
    const script = scriptModel({ steps: [{ text: 'Done?' }, call('look'), { text: 'Done.' }] });
    flue = await startTest({ agents: [Desk] });
    const reply = await send(Desk, 'x');
    expect(order).toEqual([
      'response start',
      'start',
      'finish after 0',
      'tool',
      'finish after 1',
      'response finish: Done.',
    ]);
    expect(reply).toMatchObject({ text: 'Done.', metadata: { desk: 'eu', calls: 1 } });
    expect(await batchesOf(Desk)).toEqual([
      ['conversation_opened', 'user_message'],
      ['submission_moved', 'metadata_merged'],
      ['signal greeting', 'state_written', 'start seam', 'resources_recorded'],
      ['assistant_message'],
      ['signal again', 'finish seam'],
      ['assistant_message'],
      ['call_settled'],
      ['assistant_message'],
      ['metadata_merged', 'submission_settled'],
    ]);
    // START-05, AGENT-07: what the start seam wrote is in the first request.
    expect(script.requests[0]!.systemPrompt).toContain('Visit 1.');
    expect(script.requests[0]!.messages.map((message) => JSON.stringify(message.content))).toEqual([
      expect.stringContaining('x'),
      expect.stringContaining('type=\\"greeting\\"'),
    ]);
  });

  it('without hooks costs no commit more than before, and its seam is marked all the same (START-04, RCD-40)', async () => {
    function Plain() {
      useModel('offline/script');
    }
    scriptModel({ steps: [{ text: 'Hi.' }] });
    flue = await startTest({ agents: [Plain] });
    await send(Plain, 'x');
    expect(await batchesOf(Plain)).toEqual([
      ['conversation_opened', 'user_message'],
      ['submission_moved', 'start seam', 'resources_recorded'],
      ['assistant_message', 'submission_settled'],
    ]);
  });
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

describe('the observers of a response', () => {
  it('run once for all messages that joined, and clients see what they return (RESP-01, RESP-02, RESP-06)', async () => {
    const { pass, open, state } = gate();
    const runs: string[] = [];
    function Desk() {
      useModel('offline/script');
      useResponseStart(() => {
        runs.push('start');
        return { desk: { name: 'eu', secret: 'not-for-the-model' } };
      });
      useTool({ name: 'wait', description: 'Waits.', run: pass });
      useResponseFinish(({ metadata, response }) => {
        runs.push(`finish: ${JSON.stringify(metadata)}`);
        return { desk: { calls: response.toolCalls.length, text: response.text } };
      });
    }
    const script = scriptModel({ steps: [call('wait'), { text: 'Both.' }] });
    flue = await startTest({ agents: [Desk] });
    const first = send(Desk, 'one');
    await until(() => state.waiting === 1);
    const second = send(Desk, 'two');
    await until(async () => ofType(await recordsOf(Desk), 'user_message').length === 2);
    open();
    const replies = await Promise.all([first, second]);
    expect(runs).toEqual(['start', 'finish: {"desk":{"name":"eu","secret":"not-for-the-model"}}']);
    const metadata = { desk: { name: 'eu', secret: 'not-for-the-model', calls: 1, text: 'Both.' } };
    expect(replies.map((reply) => reply.metadata)).toEqual([metadata, metadata]);
    const { messages } = await readHistory(currentRuntime()!.store, 'agents/Desk/a');
    const answer = messages.findLast(({ role }) => role === 'assistant');
    // The runtime adds no key of its own.
    expect(answer!.metadata).toEqual(metadata);
    expect(JSON.stringify(script.requests)).not.toContain('not-for-the-model');
  });

  it('of the start run again after a crash until a model call is recorded, and not afterwards (RESP-01, RESP-05)', async () => {
    const boot = persistent();
    const { pass, state } = gate();
    let hang = true;
    let starts = 0;
    function Desk() {
      useModel('offline/script');
      const [, setStarts] = usePersistentState('starts', 0);
      useResponseStart(() => {
        starts += 1;
        setStarts((before) => before + 1);
        return { starts };
      });
      useAgentStart(async () => {
        if (hang) await pass();
      });
      useTool({ name: 'wait', description: 'Waits.', run: pass });
      useResponseFinish(({ metadata }) => ({ seen: metadata.starts }));
    }
    scriptModel({ steps: [call('wait'), { text: 'Done.' }] });
    flue = await boot([Desk]);
    const { dispatchId } = await dispatch(Desk, { id: 'a', message: 'x' });
    await until(() => state.waiting === 1);
    await flue.stop({ timeoutMs: 0 });

    hang = false;
    flue = await boot([Desk]);
    await until(() => state.waiting === 2);
    await flue.stop({ timeoutMs: 0 });

    flue = await boot([Desk]);
    const reply = await init(Desk, { id: 'a' }).read(dispatchId);
    expect(starts).toBe(2);
    expect(reply.metadata).toEqual({ starts: 2, seen: 2 });
    // RESP-07: the state of the first run had no seam to commit with.
    expect(ofType(await recordsOf(Desk), 'state_written')).toMatchObject([{ name: 'starts', value: 1 }]);
  });

  it('commit what they write with the seam that follows, at the end with the settlement (RESP-07)', async () => {
    function Desk() {
      useModel('offline/script');
      const [, setAt] = usePersistentState('at', '');
      useResponseStart(() => setAt('start'));
      useAgentStart(() => {});
      useResponseFinish(() => {
        setAt('finish');
        return { ok: true };
      });
    }
    scriptModel({ steps: [{ text: 'Hi.' }] });
    flue = await startTest({ agents: [Desk] });
    await send(Desk, 'x');
    expect((await batchesOf(Desk)).slice(1)).toEqual([
      ['submission_moved'],
      ['state_written', 'start seam', 'resources_recorded'],
      ['assistant_message'],
      ['state_written', 'metadata_merged', 'submission_settled'],
    ]);
  });

  it('see all data that was written, and fail the submission when they throw (RESP-02, SEAM-03)', async () => {
    let written = 0;
    function Desk() {
      useModel('offline/script');
      const eta = useDataWriter('eta');
      useTool({ name: 'look', description: 'Looks.', run: () => eta('Friday') });
      useResponseFinish(() => {
        written += 1;
        throw new Error('no');
      });
    }
    scriptModel({ steps: [call('look'), { text: 'Done.' }] });
    flue = await startTest({ agents: [Desk] });
    const failure = await failureOf(send(Desk, 'x'));
    expect(written).toBe(1);
    expect(failure).toMatchObject({
      outcome: 'failed',
      cause: {
        type: 'operation_failed',
        meta: { category: 'hook', hook: 'useResponseFinish', hookIndex: 0 },
      },
    });
    const types = (await recordsOf(Desk)).map(kindOf);
    expect(types.indexOf('data_written')).toBeLessThan(types.indexOf('submission_settled'));
  });
});

describe('hooks across deploys', () => {
  it('may be added, dropped and reordered while a response waits to be resumed (HOOK-07)', async () => {
    const boot = persistent();
    const { pass, state } = gate();
    const runs: string[] = [];
    function Desk() {
      useModel('offline/script');
      useAgentStart(() => void runs.push('old start'));
      useTool({ name: 'wait', description: 'Waits.', run: pass });
      useAgentFinish(() => void runs.push('old finish'));
    }
    const Next = Object.assign(
      () => {
        useModel('offline/script');
        useAgentFinish(() => void runs.push('new first'));
        useAgentFinish(() => void runs.push('new second'));
        useTool({ name: 'wait', description: 'Waits.', run: pass });
        useAgentStart(() => void runs.push('new start'));
        useResponseFinish(() => ({ deployed: true }));
      },
      { agentName: 'Desk' },
    );
    scriptModel({ steps: [call('wait'), { text: 'Done.' }] });
    flue = await boot([Desk]);
    const { dispatchId } = await dispatch(Desk, { id: 'a', message: 'x' });
    await until(() => state.waiting === 1);
    await flue.stop({ timeoutMs: 0 });
    flue = await boot([Next]);
    const reply = await init(Next, { id: 'a' }).read(dispatchId);
    expect(reply.metadata).toEqual({ deployed: true });
    expect(runs).toEqual(['old start', 'new first', 'new second']);
  });
});
