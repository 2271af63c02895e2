import { afterEach, describe, expect, it } from 'vitest';
import { dispatch } from '../app/dispatch.ts';
import { init } from '../app/init.ts';
import { startTest, type TestRuntime, temporaryFile, until } from '../app/runtime.test.support.ts';
import type { Agent } from '../engine/agent.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { usePersistentState } from '../engine/hooks/use-persistent-state.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { scriptModel } from '../testing/script-model.ts';

let flue: TestRuntime | undefined;
const files: { remove(): void }[] = [];
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
  for (const file of files.splice(0)) file.remove();
});

const call = (name: string) => ({ toolCalls: [{ name, arguments: {} }] });

function persistent() {
  const file = temporaryFile();
  files.push(file);
  const clock = fakeClock();
  return (agents: Agent[]) => startTest({ agents, db: file.adapter(clock), clock });
}

/** An agent that asks for another model once its state has turned. */
function turning() {
  const state = { waiting: 0 };
  function Desk() {
    const [turned, setTurned] = usePersistentState('turned', false);
    useModel(turned ? 'offline/demo' : 'offline/script', { thinkingLevel: turned ? 'high' : 'low' });
    useTool({ name: 'turn', description: 'Turns.', run: () => setTurned(true) });
    useTool({
      name: 'wait',
      description: 'Waits.',
      run: () => {
        state.waiting += 1;
        return new Promise(() => {});
      },
    });
  }
  return { Desk, state };
}

describe('the model of an attempt', () => {
  it('is that of its first render; another one is asked from the next submission on (HOOK-06, MODEL-03)', async () => {
    const { Desk } = turning();
    const script = scriptModel({ steps: [call('turn'), { text: 'Still me.' }] });
    flue = await startTest({ agents: [Desk] });
    expect((await init(Desk, { id: 'a' }).dispatch('x')).text).toBe('Still me.');
    expect(script.requests.map(({ model }) => model)).toEqual(['offline/script', 'offline/script']);
    expect(script.requests.map(({ options }) => options.thinkingLevel)).toEqual(['low', 'low']);
    expect((await init(Desk, { id: 'a' }).dispatch('y')).text).toContain('To connect a language model');
    expect(script.requests).toHaveLength(2);
  });

  it('is another one for the attempt that recovers the submission (HOOK-06)', async () => {
    const boot = persistent();
    const { Desk, state } = turning();
    const script = scriptModel({ steps: [call('turn'), call('wait')] });
    flue = await boot([Desk]);
    const { dispatchId } = await dispatch(Desk, { id: 'a', message: 'x' });
    await until(() => state.waiting === 1);
    await flue.stop({ timeoutMs: 0 });
    flue = await boot([Desk]);
    const reply = await init(Desk, { id: 'a' }).read(dispatchId);
    expect(reply.text).toContain('[offline demo');
    expect(script.requests).toHaveLength(2);
  });

  it.each([
    ['nosuch/model', 'unknown_provider'],
    ['offline', 'invalid_model_specifier'],
    ['openai/no-such-model', 'unknown_model'],
  ])('%s fails the submission before anything is asked or shown (MODEL-03, SUB-07)', async (model, type) => {
    function Lost() {
      useModel(model);
    }
    flue = await startTest({ agents: [Lost] });
    const failure = await init(Lost, { id: 'a' })
      .dispatch('x')
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ outcome: 'failed', cause: { type } });
    const types = (await flue.records('Lost', 'a')).map((record) => record.type);
    expect(types).not.toContain('assistant_message');
    expect(types.at(-1)).toBe('submission_settled');
  });
});

describe('a promise that waits for a reply', () => {
  it('ends with its process, while the submission lives on and is answered (HND-11)', async () => {
    const boot = persistent();
    const { Desk, state } = turning();
    scriptModel({ steps: [call('wait'), { text: 'Answered.' }] });
    flue = await boot([Desk]);
    let answered = false;
    init(Desk, { id: 'a' })
      .dispatch('x')
      .then(
        () => {
          answered = true;
        },
        () => {},
      );
    await until(() => state.waiting === 1);
    await flue.stop({ timeoutMs: 0 });

    flue = await boot([Desk]);
    const [admitted] = (await flue.records('Desk', 'a')).filter(({ type }) => type === 'user_message');
    const reply = await init(Desk, { id: 'a' }).read(String(admitted!.submissionId));
    expect(reply.text).toBe('Answered.');
    expect(answered).toBe(false);
  });
});

describe('an attempt that is interrupted', () => {
  it('takes back what was written through hooks, and neither effects nor values outside the agent (STC-02, STC-06)', async () => {
    const boot = persistent();
    const sent: string[] = [];
    let local = 0;
    let waiting = false;
    const seen: number[] = [];
    function Clerk() {
      useModel('offline/script');
      const [count, setCount] = usePersistentState('count', 0);
      seen.push(count);
      useTool({
        name: 'send',
        description: 'Sends.',
        run() {
          setCount(count + 1);
          local += 1;
          sent.push('a letter');
          waiting = true;
          return new Promise(() => {});
        },
      });
    }
    scriptModel({ steps: [call('send'), { text: 'Who knows.' }] });
    flue = await boot([Clerk]);
    const { dispatchId } = await dispatch(Clerk, { id: 'a', message: 'x' });
    await until(() => waiting);
    await flue.stop({ timeoutMs: 0 });
    flue = await boot([Clerk]);
    expect((await init(Clerk, { id: 'a' }).read(dispatchId)).text).toBe('Who knows.');
    expect(new Set(seen)).toEqual(new Set([0]));
    // The letter is out, and nobody sends it again.
    expect([sent, local]).toEqual([['a letter'], 1]);
  });
});

describe('a state setter that outlives its submission', () => {
  it('throws once it has settled, so that no write is lost without a word (STATE-10)', async () => {
    let setter: ((value: number) => void) | undefined;
    function Counter() {
      useModel('offline/script');
      const [, setCount] = usePersistentState('count', 0);
      setter ??= setCount;
    }
    scriptModel({ steps: [{ text: 'ok' }] });
    flue = await startTest({ agents: [Counter] });
    await init(Counter, { id: 'a' }).dispatch('x');
    expect(() => setter!(1)).toThrow(
      '[flue] The setter of state "count" was called after its attempt had ended',
    );
    expect((await flue.records('Counter', 'a')).some(({ type }) => type === 'state_written')).toBe(false);
  });
});

describe('what tools hand over', () => {
  it('a list that was changed in place and set is stored, and the next response reads it (STATE-03, STATE-06)', async () => {
    function Cart() {
      useModel('offline/script');
      const [items, setItems] = usePersistentState<string[]>('items', []);
      useTool({
        name: 'add',
        description: 'Adds.',
        run: () => {
          items.push('lamp');
          setItems(items);
        },
      });
      return `Items: ${items.join(', ')}.`;
    }
    const script = scriptModel({ steps: [call('add'), { text: 'ok' }, call('add'), { text: 'ok' }] });
    flue = await startTest({ agents: [Cart] });
    await init(Cart, { id: 'a' }).dispatch('x');
    await init(Cart, { id: 'a' }).dispatch('y');
    const seen = script.requests.map(({ systemPrompt }) => /Items: .*/.exec(systemPrompt!)![0]);
    expect(seen).toEqual(['Items: .', 'Items: lamp.', 'Items: lamp.', 'Items: lamp, lamp.']);
  });

  it.each([
    ['a Map', { at: new Map() }, 'value.at is an instance of Map'],
    ['NaN', { list: [1, Number.NaN] }, 'value.list[1] is NaN'],
  ])(
    '%s in a state is refused with its path, and the model reads why (JSON-01, STATE-04, TCALL-09)',
    async (_, value, text) => {
      function Writer() {
        useModel('offline/script');
        const [, setSaved] = usePersistentState<unknown>('saved', null);
        useTool({ name: 'save', description: 'Saves.', run: () => setSaved(value) });
      }
      const script = scriptModel({ steps: [call('save'), { text: 'ok' }] });
      flue = await startTest({ agents: [Writer] });
      await init(Writer, { id: 'a' }).dispatch('x');
      const result = script.requests[1]!.messages.at(-1);
      expect(result).toMatchObject({ role: 'tool', isError: true });
      expect(JSON.stringify(result)).toContain(text);
      expect((await flue.records('Writer', 'a')).some(({ type }) => type === 'state_written')).toBe(false);
    },
  );

  it('an object that is thrown reaches the model as its content (TCALL-09)', async () => {
    function Thrower() {
      useModel('offline/script');
      useTool({
        name: 'fetch_order',
        description: 'Fetches.',
        run: () => {
          throw { code: 'E_GONE', order: 7 };
        },
      });
    }
    const script = scriptModel({ steps: [call('fetch_order'), { text: 'ok' }] });
    flue = await startTest({ agents: [Thrower] });
    await init(Thrower, { id: 'a' }).dispatch('x');
    expect(script.requests[1]!.messages.at(-1)).toMatchObject({
      isError: true,
      content: [{ text: '{"code":"E_GONE","order":7}' }],
    });
  });
});

describe('an agent that returns a promise', () => {
  it('fails its own submission alone, and its late rejection goes unheard (AGENT-02, AGENT-03)', async () => {
    const unheard: unknown[] = [];
    const note = (error: unknown) => unheard.push(error);
    process.on('unhandledRejection', note);
    let reject: (error: Error) => void = () => {};
    const Late = (() =>
      new Promise((_, no) => {
        reject = no;
      })) as unknown as Agent;
    function Fine() {
      useModel('offline/script');
    }
    scriptModel({ steps: [{ text: 'Fine.' }] });
    flue = await startTest({ agents: [{ agent: Late, name: 'Late' }, Fine] });
    const failure = await init(Late, { id: 'a' })
      .dispatch('x')
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      cause: { meta: { category: 'render', agent: 'Late', rule: 'FLUE1006' } },
    });
    reject(new Error('late'));
    expect((await init(Fine, { id: 'a' }).dispatch('x')).text).toBe('Fine.');
    await new Promise((resolve) => setTimeout(resolve, 0));
    process.off('unhandledRejection', note);
    expect(unheard).toEqual([]);
  });
});
