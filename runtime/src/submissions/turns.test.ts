import { afterEach, describe, expect, it } from 'vitest';
import { init } from '../app/init.ts';
import { startTest, type TestRuntime, until } from '../app/runtime.test.support.ts';
import { REPEATED_FAILURE } from '../conversation/fold/calls.ts';
import type { ConversationRecord, RecordOf, RecordType } from '../conversation/records/index.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { usePersistentState } from '../engine/hooks/use-persistent-state.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { defineTool } from '../engine/tools/define-tool.ts';
import { scriptModel } from '../testing/script-model.ts';

let flue: TestRuntime;
afterEach(() => flue?.stop());

const ofType = <T extends RecordType>(records: ConversationRecord[], type: T) =>
  records.filter((record): record is RecordOf<T> => record.type === type);
const recorded = async <T extends RecordType>(type: T, agent: string) =>
  ofType(await flue.records(agent, 'a'), type);
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: { outcome: string; cause: { type: string; message: string; meta: Record<string, unknown> } }) =>
      error,
  );
const textOf = (message: { readonly content: readonly object[] } | undefined) =>
  (message?.content ?? []).map((part) => ('text' in part ? String(part.text) : '')).join('\n');
const calls = (name: string, args: object = {}) => ({ toolCalls: [{ name, arguments: args }] });

describe('a turn', () => {
  it('is what the render before it declared: tools, instruction and closures (TURN-01, AGENT-06, AGENT-07)', async () => {
    const heard: number[] = [];
    function Counter() {
      useModel('offline/script');
      const [count, setCount] = usePersistentState('count', 0);
      useTool({
        name: `add_${count}`,
        description: 'Adds.',
        run: () => {
          heard.push(count);
          setCount((before) => before + 1);
        },
      });
      return `The count is ${count}.`;
    }
    const script = scriptModel({ steps: [calls('add_0'), calls('add_1'), { text: 'Two.' }] });
    flue = await startTest({ agents: [Counter] });
    await init(Counter, { id: 'a' }).dispatch('count');
    expect(heard).toEqual([0, 1]);
    expect(script.requests.map(({ tools }) => tools.at(-1)!.name)).toEqual(['add_0', 'add_1', 'add_2']);
    expect(script.requests.map(({ systemPrompt }) => systemPrompt.split('\n')[0])).toEqual([
      'The count is 0.',
      'The count is 1.',
      'The count is 2.',
    ]);
  });

  it('takes model, level and compaction from the first render of its attempt (SPEC-10, HOOK-06)', async () => {
    function Fickle() {
      const [turns, setTurns] = usePersistentState('turns', 0);
      useModel(turns === 0 ? 'offline/script' : 'offline/demo', {
        thinkingLevel: turns === 0 ? 'low' : 'high',
      });
      useTool({ name: 'next', description: 'Next.', run: () => setTurns((before) => before + 1) });
    }
    const script = scriptModel({ steps: [calls('next'), { text: 'Still the same model.' }] });
    flue = await startTest({ agents: [Fickle] });
    expect((await init(Fickle, { id: 'a' }).dispatch('x')).text).toBe('Still the same model.');
    expect(script.requests.map(({ options }) => options.thinkingLevel)).toEqual(['low', 'low']);
    expect((await init(Fickle, { id: 'a' }).dispatch('y')).text).toContain('No tool matches that.');
  });

  it('is known by its message alone: what was streamed of one that failed is in no request (TURN-04)', async () => {
    function Plain() {
      useModel('offline/script');
    }
    const script = scriptModel({
      steps: [{ text: 'Half of it', error: { afterChars: 4 } }, { text: 'All of it.' }],
    });
    flue = await startTest({ agents: [Plain], model: { retryBaseMs: 1 } });
    expect((await flue.during(init(Plain, { id: 'a' }).dispatch('x'))).text).toBe('All of it.');
    expect(JSON.stringify(script.requests[1]!.messages)).not.toContain('Half');
    const messages = await recorded('assistant_message', 'Plain');
    expect(messages.map(({ content }) => textOf({ content }))).toEqual(['Half', 'All of it.']);
    expect(flue.log.filter((line) => line.includes('[flue:model-retry]'))).toHaveLength(1);
  });
});

describe('a tool that throws', () => {
  const refuse = defineTool({
    name: 'refuse',
    description: 'Refuses.',
    run: () => {
      throw new Error('Out of stock.');
    },
  });
  function Shop() {
    useModel('offline/script');
    useTool(refuse);
  }
  const shop = () => init(Shop, { id: 'a' });
  const again = (times: number) => Array.from({ length: times }, () => calls('refuse'));

  it('answers with an error result and fails nothing (TURN-09, TCALL-09)', async () => {
    const script = scriptModel({ steps: [calls('refuse'), { text: 'There is none.' }] });
    flue = await startTest({ agents: [Shop] });
    expect((await shop().dispatch('buy')).text).toBe('There is none.');
    expect(script.requests[1]!.messages.at(-1)).toMatchObject({ role: 'tool', isError: true });
    expect(textOf(script.requests[1]!.messages.at(-1))).toBe('Out of stock.');
  });

  it('three times in a row for the same call is told so (TURN-18, PC-032)', async () => {
    const script = scriptModel({ steps: [...again(4), { text: 'I give up.' }] });
    flue = await startTest({ agents: [Shop] });
    await shop().dispatch('buy');
    const told = script.requests.slice(1).map(({ messages }) => textOf(messages.at(-1)));
    const repeated = `Out of stock.\n${REPEATED_FAILURE}`;
    expect(told).toEqual(['Out of stock.', 'Out of stock.', repeated, repeated]);
  });

  it('eight times in a row ends the submission, naming tool and error (TURN-18)', async () => {
    const script = scriptModel({ steps: again(20) });
    flue = await startTest({ agents: [Shop] });
    const failure = await failureOf(shop().dispatch('buy'));
    expect(failure!.cause).toMatchObject({
      type: 'operation_failed',
      meta: { category: 'tool_loop', tool: 'refuse', limit: 8 },
    });
    expect(failure!.cause.message).toContain(
      '"refuse" failed 8 times in a row in the same way: Out of stock.',
    );
    expect(script.requests).toHaveLength(8);
  });

  it('counts anew after any other call, arguments or outcome (TURN-18)', async () => {
    let works = false;
    const moody = defineTool({
      name: 'moody',
      description: 'Now and then.',
      run: () => {
        if (works) return 'fine';
        throw new Error('No.');
      },
    });
    function Mood() {
      useModel('offline/script');
      useTool(moody);
      useTool(refuse);
    }
    const script = scriptModel({
      steps({ messages }) {
        const turn = messages.filter(({ role }) => role === 'tool').length;
        works = turn === 14;
        if (turn < 7) return calls('moody');
        if (turn === 7) return calls('refuse');
        if (turn === 22) return { text: 'Done.' };
        return calls('moody');
      },
    });
    flue = await startTest({ agents: [Mood] });
    // 7 failures, another call, 6 failures, a success, 7 failures.
    expect((await init(Mood, { id: 'a' }).dispatch('x')).text).toBe('Done.');
    expect(script.requests).toHaveLength(23);
  });
});

describe('an abort', () => {
  it('fires the signal of each running call, starts no other, and keeps what was recorded (TURN-11, TBR-04, TBR-06)', async () => {
    const started: string[] = [];
    const fired: unknown[] = [];
    const quick = defineTool({ name: 'quick', description: 'Quick.', run: () => 'done' });
    const slow = defineTool({
      name: 'slow',
      description: 'Slow.',
      run: ({ signal, toolCallId }) => {
        started.push(toolCallId);
        signal?.addEventListener('abort', () => fired.push(toolCallId));
        return new Promise<string>(() => {});
      },
    });
    function Worker() {
      useModel('offline/script');
      useTool(quick);
      useTool(slow);
    }
    const many = Array.from({ length: 20 }, (_, at) => ({ name: 'slow', arguments: {}, id: `s${at}` }));
    scriptModel({ steps: [{ toolCalls: [{ name: 'quick', arguments: {}, id: 'q' }, ...many] }] });
    flue = await startTest({ agents: [Worker] });
    const worker = init(Worker, { id: 'a' });
    const failure = failureOf(worker.dispatch('x'));
    await until(() => started.length === 16);
    await worker.abort();
    expect((await failure)!.outcome).toBe('aborted');
    expect(started).toHaveLength(16);
    expect(fired).toEqual(started);
    const settled = await recorded('call_settled', 'Worker');
    expect(settled).toHaveLength(21);
    expect(settled.filter(({ interrupted }) => !interrupted)).toMatchObject([{ call: 'q', output: 'done' }]);
  });

  it('or the deadline is seen before the next turn, which then never starts (TURN-16, BUD-05)', async () => {
    const wait = defineTool({
      name: 'wait',
      description: 'Lets the time pass.',
      run: () => flue.clock.advance(1_000).then(() => 'passed'),
    });
    function Hasty() {
      useModel('offline/script');
      useTool(wait);
    }
    Hasty.durability = { timeoutMs: 500 };
    const script = scriptModel({ steps: [calls('wait'), { text: 'Too late.' }] });
    flue = await startTest({ agents: [Hasty] });
    const failure = await failureOf(init(Hasty, { id: 'a' }).dispatch('x'));
    expect(failure!.cause).toMatchObject({ type: 'submission_timeout' });
    expect(script.requests).toHaveLength(1);
    expect(await recorded('call_settled', 'Hasty')).toMatchObject([{ output: 'passed' }]);
  });

  it('or the deadline that comes while the last message is on its way leaves its result (TURN-16, BUD-06)', async () => {
    function Late() {
      useModel('offline/script');
    }
    Late.durability = { timeoutMs: 500 };
    scriptModel({ steps: [{ text: 'Just in time.', delayMs: 1_000 }] });
    flue = await startTest({ agents: [Late] });
    expect((await flue.during(init(Late, { id: 'a' }).dispatch('x'))).text).toBe('Just in time.');
  });
});
