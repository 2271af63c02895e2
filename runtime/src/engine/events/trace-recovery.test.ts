import { afterEach, describe, expect, it } from 'vitest';
import { dispatch } from '../../app/dispatch.ts';
import { init } from '../../app/init.ts';
import { startTest, type TestRuntime, temporaryFile, until } from '../../app/runtime.test.support.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { scriptModel } from '../../testing/script-model.ts';
import { useTool } from '../hooks/use-tool.ts';
import type { FlueObservation } from './event.ts';
import { hear, ofEvent, silence } from './events.test.support.ts';
import { observe } from './observe.ts';
import { call, gate, Looker, Plain } from './traced-agents.test.support.ts';

let flue: TestRuntime | undefined;
let heard: FlueObservation[] = [];
const files: { remove(): void }[] = [];
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
  silence();
  for (const file of files.splice(0)) file.remove();
});

const types = () => heard.map(({ type }) => type);
const settledOf = (submissionId: string) =>
  ofEvent(heard, 'submission_settled').filter((event) => event.submissionId === submissionId);

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
