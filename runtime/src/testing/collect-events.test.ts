import * as v from 'valibot';
import { afterEach, describe, expect, it } from 'vitest';
import { init } from '../app/init.ts';
import { startTest, type TestRuntime } from '../app/runtime.test.support.ts';
import { isObserved } from '../engine/events/observe.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { useSubagent } from '../engine/hooks/use-subagent.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { collectEvents } from './collect-events.ts';
import { scriptModel } from './script-model.ts';

let flue: TestRuntime | undefined;
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
});

function Clerk() {
  useModel('offline/script');
  useSubagent({ name: 'helper', description: 'Helps.', agent: () => 'Help.' });
  useTool({
    name: 'stock',
    description: 'Tells what is there.',
    input: v.object({ item: v.string() }),
    run({ data: { item } }) {
      if (item === 'tea') throw new RangeError('no tea');
      return { item, count: 3 };
    },
  });
}

const call = (name: string, args: object) => ({ name, arguments: args });
const usage = { input: 5, totalTokens: 5 };

describe('collectEvents()', () => {
  it('tells the calls, the usage and the replies of what ran inside it, in order (EVAL-03)', async () => {
    scriptModel({
      steps: [
        { toolCalls: [call('stock', { item: 'ink' }), call('stock', { item: 'tea' })], usage },
        { toolCalls: [call('task', { agent: 'helper', prompt: 'Add.' })], usage },
        { text: 'Added.', usage },
        { text: 'Ink, no tea.', usage },
        { text: 'Bye.', usage },
      ],
    });
    flue = await startTest({ agents: [Clerk] });
    const desk = init(Clerk, { id: 'a' });
    const told = await collectEvents(async () => {
      const first = await desk.dispatch('What is there?');
      const second = await desk.dispatch('Bye.');
      return [first.submissionId, second.submissionId];
    });
    expect(told.toolCalls).toMatchObject([
      { name: 'stock', arguments: { item: 'ink' }, result: { item: 'ink', count: 3 } },
      { name: 'stock', arguments: { item: 'tea' }, error: { type: 'RangeError', message: 'no tea' } },
      { name: 'task', arguments: { agent: 'helper', prompt: 'Add.' }, result: [{ text: 'Added.' }] },
    ]);
    expect(told.toolCalls.map((one) => ['result' in one, 'error' in one])).toEqual([
      [true, false],
      [false, true],
      [true, false],
    ]);
    expect(told.usage.totalTokens).toBe(25);
    expect(told.replies).toEqual([
      { submissionId: told.value[0], agentName: 'Clerk', instanceId: 'a', text: 'Ink, no tea.' },
      { submissionId: told.value[1], agentName: 'Clerk', instanceId: 'a', text: 'Bye.' },
    ]);
    expect(told.events.filter(({ type }) => type === 'submission_settled')).toHaveLength(2);
  });

  it('observes no longer than its function runs, and passes a failure on (EVAL-03)', async () => {
    const nothing = await collectEvents(() => 'quiet');
    expect(nothing).toMatchObject({ value: 'quiet', events: [], toolCalls: [], replies: [] });
    expect(nothing.usage.totalTokens).toBe(0);
    await expect(collectEvents(() => Promise.reject(new Error('mine')))).rejects.toThrow('mine');
    expect(isObserved()).toBe(false);
  });
});
