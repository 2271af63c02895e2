import { afterEach, describe, expect, it } from 'vitest';
import { init } from '../../app/init.ts';
import { startTest, type TestRuntime } from '../../app/runtime.test.support.ts';
import { ofType, textOf, usage } from '../../submissions/compaction.test.support.ts';
import { type ScriptModel, type ScriptStep, scriptModel } from '../../testing/script-model.ts';
import type { CompactionConfig } from '../compaction/compaction-config.ts';
import { hear, ofEvent, silence } from '../events/events.test.support.ts';
import { useModel } from '../hooks/use-model.ts';
import { useSubagent } from '../hooks/use-subagent.ts';
import { useTool } from '../hooks/use-tool.ts';

/* A delegate whose tool fills its window, so that it has to compact in the middle of its task. */

let flue: TestRuntime | undefined;
afterEach(async () => {
  silence();
  await flue?.stop();
  flue = undefined;
});

const keep = { reserveTokens: 1_000, keepRecentTokens: 0 };
const task: ScriptStep = { toolCalls: [{ name: 'task', arguments: { agent: 'scout', prompt: 'Look.' } }] };
const look: ScriptStep = { toolCalls: [{ name: 'look', arguments: {} }] };

function chief(own: { readonly compaction?: false | CompactionConfig }, parents?: false | CompactionConfig) {
  return function Chief() {
    useModel('offline/script', parents === undefined ? {} : { compaction: parents });
    useSubagent({
      name: 'scout',
      description: 'Looks.',
      agent() {
        useTool({ name: 'look', description: 'Looks.', run: () => 'trees' });
      },
      ...own,
    });
  };
}

type Messages = ScriptModel['requests'][number]['messages'];
type Says = readonly ScriptStep[] | ((messages: Messages) => ScriptStep);

/** Each agent says its own, in order or by what it reads; summaries are written by themselves. */
function play(says: Readonly<Record<string, Says>>): ScriptModel {
  const places = new Map<string, number>();
  return scriptModel({
    model: { contextWindow: 10_000, maxTokens: 1_000 },
    steps({ messages, options: { agent = '', purpose } }) {
      if (purpose !== 'agent') return { text: 'Trees were seen.', usage: usage(70) };
      const own = says[agent] ?? [];
      if (typeof own === 'function') return own(messages);
      const place = places.get(agent) ?? 0;
      places.set(agent, place + 1);
      return own[place] ?? { text: 'Done.' };
    },
  });
}

async function ask(agent: ReturnType<typeof chief>) {
  flue = await startTest({ agents: [agent] });
  const reply = await flue.during(init(agent, { id: 'a' }).dispatch('Hi'));
  const compactions = ofType(await flue.records('Chief', 'a'), 'compaction');
  return { reply, compactions };
}

const full = { ...look, usage: usage(9_500) };
const tooLong = {
  error: { message: 'prompt is too long: 11000 tokens > 10000 maximum', transient: false },
};

describe('a delegate whose context grows too large', () => {
  it('compacts its own conversation in the middle of its task and goes on with it (DELEG-06, CMP-03, RCD-52)', async () => {
    const events = hear();
    const script = play({ Chief: [task, { text: 'Told.' }], scout: [full, look, { text: 'Trees.' }] });
    const { reply, compactions } = await ask(chief({ compaction: keep }, false));
    expect(reply.text).toBe('Told.');
    expect(compactions).toMatchObject([{ conv: 1, reason: 'threshold', usage: { totalTokens: 70 } }]);
    expect(reply.usage?.totalTokens).toBe(9_570);
    const [, , next] = script.requests.filter(({ options }) => options.agent === 'scout');
    expect(textOf(next?.messages[0])).toContain('Trees were seen.');
    expect(next?.systemPrompt).toBe(script.requests[1]?.systemPrompt);
    const [started] = ofEvent(events, 'compaction_start');
    const [ended] = ofEvent(events, 'compaction');
    const taskId = ofEvent(events, 'task_start')[0]?.taskId;
    expect(taskId).toMatch(/\.1$/);
    expect([started, ended]).toMatchObject([{ taskId }, { taskId, isError: false }]);
  });

  it('goes by what the delegating conversation says where its definition is silent (DELEG-06)', async () => {
    play({ Chief: [task, { text: 'Told.' }], scout: [full, { text: 'Trees.' }] });
    expect((await ask(chief({}, keep))).compactions).toMatchObject([{ conv: 1, reason: 'threshold' }]);
  });

  it('leaves it at any size by its own choice (DELEG-06, MODEL-05)', async () => {
    play({ Chief: [task, { text: 'Told.' }], scout: [full, { text: 'Trees.' }] });
    expect((await ask(chief({ compaction: false }, keep))).compactions).toEqual([]);
  });

  it('recovers from an overflow, and gives up after two without a turn between (OVER-02, OVER-03, OVER-05)', async () => {
    const overflowing =
      (then: ScriptStep) =>
      (messages: Messages): ScriptStep => {
        if (messages.some((message) => textOf(message).includes('Trees were seen.'))) return then;
        return messages.length > 1 ? tooLong : look;
      };
    play({ Chief: [task, { text: 'Told.' }], scout: overflowing({ text: 'Trees.' }) });
    const { compactions } = await ask(chief({ compaction: false }));
    expect(compactions).toMatchObject([{ conv: 1, reason: 'overflow' }]);
    const settled = async () => ofType(await flue!.records('Chief', 'a'), 'call_settled').at(-1);
    expect(await settled()).toMatchObject({ tool: 'task', status: 'ok' });
    await flue!.stop();

    play({ Chief: [task, { text: 'Told.' }], scout: overflowing(tooLong) });
    await ask(chief({ compaction: false }));
    expect(await settled()).toMatchObject({ tool: 'task', status: 'error' });
  });
});
