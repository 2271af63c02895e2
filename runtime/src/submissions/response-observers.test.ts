import { afterEach, describe, expect, it } from 'vitest';
import { currentRuntime } from '../app/current.ts';
import { dispatch } from '../app/dispatch.ts';
import { init } from '../app/init.ts';
import { readHistory } from '../app/reader.ts';
import { startTest, type TestRuntime, until } from '../app/runtime.test.support.ts';
import { useAgentStart } from '../engine/hooks/use-agent-start.ts';
import { useDataWriter } from '../engine/hooks/use-data-writer.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { usePersistentState } from '../engine/hooks/use-persistent-state.ts';
import { useResponseFinish } from '../engine/hooks/use-response-finish.ts';
import { useResponseStart } from '../engine/hooks/use-response-start.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { scriptModel } from '../testing/script-model.ts';

import {
  batchesOf,
  call,
  failureOf,
  gate,
  kindOf,
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
