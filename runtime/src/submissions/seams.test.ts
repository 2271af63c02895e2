import { afterEach, describe, expect, it } from 'vitest';
import { dispatch } from '../app/dispatch.ts';
import { init } from '../app/init.ts';
import { startTest, type TestRuntime, until } from '../app/runtime.test.support.ts';
import { useAgentFinish } from '../engine/hooks/use-agent-finish.ts';
import { useAgentStart } from '../engine/hooks/use-agent-start.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { usePersistentState } from '../engine/hooks/use-persistent-state.ts';
import { useResponseFinish } from '../engine/hooks/use-response-finish.ts';
import { useResponseStart } from '../engine/hooks/use-response-start.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { scriptModel } from '../testing/script-model.ts';

import { batchesOf, call, gate, persistent, send } from './seams.test.support.ts';

let flue: TestRuntime | undefined;
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
});

describe('one response', () => {
  it('passes its seams in the order of the contract, each one append, and is told of once when it is final (SEAM-01, SEAM-02, RESP-01, RESP-02, PC-024)', async () => {
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
