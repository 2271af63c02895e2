import * as v from 'valibot';
import { afterEach, describe, expect, it } from 'vitest';
import { currentRuntime } from '../../app/current.ts';
import { init } from '../../app/init.ts';
import { startTest, type TestRuntime, until } from '../../app/runtime.test.support.ts';
import { BUILTIN_TOOLS } from '../../contract/names.ts';
import type { ConversationRecord, RecordOf, RecordType } from '../../conversation/records/index.ts';
import type { ModelMessage } from '../../ports/model-gateway.ts';
import { type ScriptModel, type ScriptStep, scriptModel } from '../../testing/script-model.ts';
import type { AgentFunction } from '../agent.ts';
import { useDelivery } from '../hooks/use-delivery.ts';
import { useInitialData } from '../hooks/use-initial-data.ts';
import { useInstruction } from '../hooks/use-instruction.ts';
import { useModel } from '../hooks/use-model.ts';
import { usePersistentState } from '../hooks/use-persistent-state.ts';
import { useSkill } from '../hooks/use-skill.ts';
import { useSubagent } from '../hooks/use-subagent.ts';
import { useTool } from '../hooks/use-tool.ts';
import { GeneralSubagent } from './define-subagent.ts';

let flue: TestRuntime | undefined;
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
});

type Request = ScriptModel['requests'][number];
type Answer = string | ScriptStep;

const textOf = (message: ModelMessage) =>
  message.content.map((part) => ('text' in part ? part.text : '')).join('');
const task = (agent: string, prompt = 'Go.', more = {}) => ({
  name: 'task',
  arguments: { agent, prompt, ...more },
});
const call = (...toolCalls: NonNullable<ScriptStep['toolCalls']>): ScriptStep => ({ toolCalls });

/** A model that has a queue of answers for each agent; the last one repeats. */
function play(answers: Readonly<Record<string, readonly Answer[]>>): ScriptModel {
  const taken = new Map<string, number>();
  return scriptModel({
    steps({ options: { agent = '' } }) {
      const at = taken.get(agent) ?? 0;
      taken.set(agent, at + 1);
      const own = answers[agent] ?? [];
      const answer = own[Math.min(at, own.length - 1)] ?? `${agent} has nothing to say`;
      return typeof answer === 'string' ? { text: answer } : answer;
    },
  });
}

async function ask(agent: AgentFunction<{ id: string }>): Promise<string> {
  flue ??= await startTest({ agents: [agent] });
  const { text } = await flue.during(init(agent, { id: 'a' }).dispatch('Hi'));
  return text;
}

const requestsOf = (script: ScriptModel, agent: string): Request[] =>
  script.requests.filter((request) => request.options.agent === agent);
const recordsOf = (agent: string) => flue!.records(agent, 'a');
const ofType = <T extends RecordType>(records: ConversationRecord[], type: T) =>
  records.filter((record): record is RecordOf<T> => record.type === type);

/** What the root's model read as results of its calls. */
function results(script: ScriptModel, agent: string): { isError: boolean; text: string }[] {
  const messages = requestsOf(script, agent).at(-1)!.messages;
  return messages.flatMap((message) =>
    message.role === 'tool' ? [{ isError: message.isError, text: textOf(message) }] : [],
  );
}

const scout = { name: 'scout', description: 'Looks.', agent: () => 'Look around.' };

function Chief() {
  useModel('offline/script', { thinkingLevel: 'low' });
  useSubagent(scout);
  useTool({ name: 'own', description: 'Of the chief.', run: () => 'x' });
  return 'Lead.';
}

describe('a task', () => {
  it('is a conversation of its own, from which only the final text returns (TASK-04, TSK-01, RCD-20)', async () => {
    const script = play({ Chief: [call(task('scout', 'Find it.')), 'Found.'], scout: ['Here.'] });
    expect(await ask(Chief)).toBe('Found.');
    expect(results(script, 'Chief')).toEqual([{ isError: false, text: 'Here.' }]);
    const records = await recordsOf('Chief');
    const [settled] = ofType(records, 'call_settled');
    expect(records.filter((record) => 'conv' in record)).toMatchObject([
      { type: 'conversation_opened', conv: 1, kind: 'task', call: settled!.call, agent: 'scout' },
      { type: 'user_message', conv: 1, body: 'Find it.' },
      { type: 'assistant_message', conv: 1, turn: 1, content: [{ text: 'Here.', part: 0 }] },
    ]);
    // Linked to its call in the batch that opens it; its last message and the call's result follow.
    const types = records.map((record) => record.type);
    expect(types.slice(types.lastIndexOf('conversation_opened'))).toEqual([
      'conversation_opened',
      'user_message',
      'assistant_message',
      'call_settled',
      'assistant_message',
      'submission_settled',
    ]);
  });

  it("is written to the instance's own stream, under the one fence of its owner (STR-04)", async () => {
    play({ Chief: [call(task('scout', 'Find it.')), 'Found.'], scout: ['Here.'] });
    await ask(Chief);
    const { batches } = await currentRuntime()!.store.read('agents/Chief/a', {});
    const written = batches.filter(({ records }) => records.some((body) => JSON.parse(body).conv === 1));
    expect(written.flatMap(({ records }) => records).map((body) => JSON.parse(body).type)).toEqual([
      'conversation_opened',
      'user_message',
      'assistant_message',
    ]);
    const own = batches.filter(({ seq }) => seq > 0);
    expect(own.filter((batch) => written.includes(batch))).toEqual(written);
    expect(new Set(own.map(({ epoch }) => epoch))).toEqual(new Set([1]));
    expect(own.map(({ seq }) => seq)).toEqual(own.map((_, index) => index + 1));
  });

  it('gives the delegate its prompt and nothing of the parent (DELEG-03, DELEG-02)', async () => {
    const script = play({ Chief: [call(task('scout', 'Find it.')), 'Found.'], scout: ['Here.'] });
    await ask(Chief);
    const [request] = requestsOf(script, 'scout');
    expect(request!.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Find it.' }] }]);
    expect(request!.systemPrompt).toMatch(/^Look around\.\n\n/);
    expect(request!.systemPrompt).not.toMatch(/Lead|scout/);
    expect(request!.tools.map((tool) => tool.name)).toEqual([...BUILTIN_TOOLS, 'task']);
    expect(request!.options.sessionId).not.toBe(requestsOf(script, 'Chief')[0]!.options.sessionId);
  });

  it('inherits model and thinking level unless the definition says otherwise (DELEG-03, THINK-02)', async () => {
    function Boss() {
      useModel('offline/script', { thinkingLevel: 'low' });
      useSubagent(scout);
      useSubagent({ ...scout, name: 'thinker', thinkingLevel: 'high', model: 'offline/demo' });
    }
    const script = play({ Boss: [call(task('scout'), task('thinker')), 'Done.'], scout: ['Here.'] });
    await ask(Boss);
    const [request] = requestsOf(script, 'scout');
    expect([request!.model, request!.options.thinkingLevel]).toEqual(['offline/script', 'low']);
    // Its own model answered, and not the script.
    expect(requestsOf(script, 'thinker')).toEqual([]);
    expect(results(script, 'Boss')[1]!.text).toContain('[offline demo: no language model is connected');
  });

  it('that ends without a text reads so (TASK-04)', async () => {
    const script = play({ Chief: [call(task('scout')), 'Done.'], scout: [{ text: '' }] });
    await ask(Chief);
    expect(results(script, 'Chief')).toEqual([{ isError: false, text: '(task completed with no text)' }]);
  });

  it('runs at the same time as the others of its message (TASK-04)', async () => {
    const script = play({
      Chief: [call(task('scout', 'One.'), task('scout', 'Two.')), 'Both.'],
      scout: [{ text: 'slow', delayMs: 5000 }],
    });
    flue = await startTest({ agents: [Chief] });
    const reply = init(Chief, { id: 'a' }).dispatch('Hi');
    await until(() => requestsOf(script, 'scout').length === 2);
    expect(ofType(await recordsOf('Chief'), 'call_settled')).toEqual([]);
    await flue.during(reply);
    expect(results(script, 'Chief')).toHaveLength(2);
    const opened = ofType(await recordsOf('Chief'), 'conversation_opened').slice(1);
    expect(opened).toMatchObject([{ conv: 1 }, { conv: 2 }]);
  });

  it('misses an unknown delegate by saying who is there, and opens nothing (TASK-02, NARR-09)', async () => {
    const script = play({ Chief: [call(task('constructor'), task('general')), 'Done.'] });
    await ask(Chief);
    expect(results(script, 'Chief')).toEqual([
      { isError: false, text: 'There is no agent "constructor". Available agents: scout.' },
      { isError: false, text: 'There is no agent "general". Available agents: scout.' },
    ]);
    expect(ofType(await recordsOf('Chief'), 'conversation_opened')).toHaveLength(1);
  });

  it('needs a prompt and an agent (TASK-01)', async () => {
    const script = play({
      Chief: [
        call({ name: 'task', arguments: { agent: 'scout' } }, task('', 'x'), task('scout', '')),
        'Done.',
      ],
    });
    await ask(Chief);
    expect(results(script, 'Chief').map((result) => result.isError)).toEqual([true, true, true]);
    expect(requestsOf(script, 'scout')).toEqual([]);
  });

  it('renames a call id that a sibling holds (TBR-05, RCD-16)', async () => {
    const look = { name: 'look', description: 'Looks.', run: () => 'seen' };
    function Twin() {
      useModel('offline/script');
      useSubagent({ ...scout, agent: () => useTool(look) });
    }
    const same = { ...call({ name: 'look', arguments: {}, id: 'same' }), delayMs: 1000 };
    play({
      Twin: [call(task('scout', '1'), task('scout', '2'), task('scout', '3')), 'Done.'],
      scout: [same, same, same, 'ok'],
    });
    expect(await ask(Twin)).toBe('Done.');
    const ids = ofType(await recordsOf('Twin'), 'call_settled').flatMap((r) =>
      r.tool === 'look' ? [r.call] : [],
    );
    expect(ids.sort()).toEqual(['same', 'same_2', 'same_3']);
  });
});

describe('images of a task', () => {
  const png = { type: 'image' as const, data: Buffer.from('png').toString('base64'), mimeType: 'image/png' };
  const send = async (agent: AgentFunction<{ id: string }>, script: ScriptModel) => {
    flue = await startTest({ agents: [agent] });
    await init(agent, { id: 'a' }).dispatch({ message: { kind: 'user', body: 'See.', attachments: [png] } });
    return requestsOf(script, agent.name)[0]!.messages[0]!.content;
  };
  const idIn = (content: ModelMessage['content']) =>
    /^\(attachment id: (.*)\)$/.exec((content.at(-1) as { text: string }).text)?.[1];

  it('are those that the conversation shows, named by the ids that stand behind them (TASK-06, DLV-05)', async () => {
    const seen: unknown[] = [];
    const viewer = { name: 'viewer', description: 'Views.', agent: () => void seen.push(useDelivery()) };
    function Owner() {
      useModel('offline/script');
      useSubagent(viewer);
    }
    const script = scriptModel({
      steps({ messages, options: { agent } }) {
        if (agent === 'viewer') return { text: 'A cat.' };
        if (messages.length > 1) return { text: 'Done.' };
        return call(task('viewer', 'What is it?', { attachments: [{ id: idIn(messages[0]!.content) }] }));
      },
    });
    const content = await send(Owner, script);
    expect(content.map((part) => part.type)).toEqual(['text', 'image', 'text']);
    const image = { type: 'image', mimeType: 'image/png', data: png.data };
    expect(requestsOf(script, 'viewer')[0]!.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] },
    ]);
    expect(seen).toEqual([{ kind: 'user', body: 'What is it?', attachments: [png] }]);
    const prompt = ofType(await recordsOf('Owner'), 'user_message').find((record) => record.conv === 1);
    expect(prompt?.attachments).toMatchObject([{ id: idIn(content), mimeType: 'image/png' }]);
  });

  it('that nobody showed are an error result, and nothing is started (TASK-06)', async () => {
    const wrong = task('scout', 'Go.', { attachments: [{ id: 'att_none' }] });
    const script = play({ Chief: [call(wrong), 'Done.'] });
    await send(Chief, script);
    expect(results(script, 'Chief')).toMatchObject([
      {
        isError: true,
        text: expect.stringContaining('There is no attachment "att_none" in this conversation.'),
      },
    ]);
    expect(ofType(await recordsOf('Chief'), 'conversation_opened')).toHaveLength(1);
  });

  it('are not named where there is nobody to hand them to', async () => {
    function Alone() {
      useModel('offline/script');
    }
    const script = play({ Alone: ['Hi.'] });
    expect((await send(Alone, script)).map((part) => part.type)).toEqual(['text', 'image']);
  });
});

describe('the roster', () => {
  it('is a section of the system prompt (TASK-03, NARR-01)', async () => {
    const script = play({ Chief: ['Hi.'] });
    await ask(Chief);
    const [{ systemPrompt, tools }] = script.requests as [Request];
    expect(systemPrompt).toContain('calling `task` with the name of the agent:\n- **scout** — Looks.\n');
    expect(tools.map((tool) => tool.name)).toEqual([...BUILTIN_TOOLS, 'task', 'own']);
    expect(JSON.stringify(tools[0])).not.toMatch(/scout|enum/);
  });

  it('is there when it is empty, and so is the tool (TASK-03, NAME-01)', async () => {
    function Alone() {
      useModel('offline/script');
    }
    const script = play({ Alone: [call(task('scout')), 'Hi.'] });
    await ask(Alone);
    expect(script.requests[0]!.systemPrompt).toContain(
      'There are no agents to hand tasks to: do not call `task`.',
    );
    expect(script.requests[0]!.tools.map((tool) => tool.name)).toEqual([...BUILTIN_TOOLS, 'task']);
    expect(results(script, 'Alone')).toEqual([
      { isError: false, text: 'There is no agent "scout". Available agents: (none).' },
    ]);
  });

  it('is told of when it changes, and resolves in that turn (NARR-09, NARR-10, NARR-11)', async () => {
    function Office() {
      useModel('offline/script');
      const [open, setOpen] = usePersistentState('open', false);
      useTool({ name: 'flip', description: 'Flips.', run: () => setOpen(true) });
      if (open) useSubagent(scout);
    }
    const flip = { name: 'flip', arguments: {} };
    const script = play({
      Office: [call(flip, task('scout')), call(task('scout')), 'Done.'],
      scout: ['Here.'],
    });
    await ask(Office);
    const [first, second] = requestsOf(script, 'Office') as [Request, Request];
    expect(textOf(second.messages.at(-1)!)).toBe(
      [
        '<signal type="resources" resource="subagent">',
        'New agent available:',
        '- **scout** — Looks.',
        'All available agents: scout',
        '</signal>',
      ].join('\n'),
    );
    expect(second.systemPrompt).toBe(first.systemPrompt);
    expect(second.tools).toEqual(first.tools);
    // The first call was answered by the render that it was made in (TCALL-19).
    const missed = { isError: false, text: 'There is no agent "scout". Available agents: (none).' };
    expect(results(script, 'Office').slice(1)).toEqual([missed, { isError: false, text: 'Here.' }]);
  });
});

describe('in a delegate', () => {
  it('tools, skills, instructions and custom hooks work, and delegates tell of nothing (DELEG-04, SKILL-24, NARR-08)', async () => {
    const useKit = () => {
      useInstruction('With care.');
      useTool({
        name: 'dig',
        description: 'Digs.',
        input: v.object({ at: v.string() }),
        run: ({ data }) => data.at,
      });
    };
    const miner = () => {
      useKit();
      useSkill({ name: 'mining', description: 'How to mine.', instructions: 'Dig deep.' });
      return 'Mine.';
    };
    function Owner() {
      useModel('offline/script');
      useSubagent({ name: 'miner', description: 'Mines.', agent: miner });
    }
    const script = play({
      Owner: [call(task('miner')), 'Done.'],
      miner: [
        call(
          { name: 'activate_skill', arguments: { name: 'mining' } },
          { name: 'dig', arguments: { at: 'x' } },
        ),
        'Gold.',
      ],
    });
    expect(await ask(Owner)).toBe('Done.');
    const [first, second] = requestsOf(script, 'miner') as [Request, Request];
    expect(first.systemPrompt).toMatch(/^Mine\.\n\nWith care\.\n\n/);
    expect(first.systemPrompt).toContain('- **mining** — How to mine.');
    expect(first.tools.map((tool) => tool.name)).toEqual([...BUILTIN_TOOLS, 'task', 'activate_skill', 'dig']);
    expect(second.messages.slice(2).map(textOf)).toEqual([expect.stringContaining('Dig deep.'), '"x"']);
    const records = await recordsOf('Owner');
    expect(ofType(records, 'signal')).toEqual([]);
    expect(ofType(records, 'resources_recorded')).toHaveLength(1);
  });

  it('the delivery is the task, and there is no initial data (DLV-05, IDATA-02, AGENT-13)', async () => {
    const seen: unknown[] = [];
    const reader = (...args: unknown[]) => {
      seen.push(args, useDelivery(), useInitialData());
    };
    function Owner() {
      useModel('offline/script');
      useInitialData();
      useSubagent({ name: 'reader', description: 'Reads.', agent: reader });
    }
    play({ Owner: [call(task('reader', 'Read it.')), 'Done.'] });
    flue = await startTest({ agents: [Owner] });
    await init(Owner, { id: 'a' }).dispatch({ message: 'Hi', initialData: { plan: 'pro' } });
    expect(seen).toEqual([[], { kind: 'user', body: 'Read it.' }, undefined]);
  });

  it('the render is one for each task, and closures read what is current then (DELEG-02, DELEG-04)', async () => {
    let renders = 0;
    let word = 'one';
    const echo = () => {
      renders += 1;
      useTool({ name: 'wait', description: 'Waits.', run: () => null });
      return word;
    };
    function Owner() {
      useModel('offline/script');
      useSubagent({ name: 'echo', description: 'Echoes.', agent: echo });
      useTool({ name: 'change', description: 'Changes.', run: () => (word = 'two') });
    }
    const wait = call({ name: 'wait', arguments: {} });
    const script = play({
      Owner: [call(task('echo')), call({ name: 'change', arguments: {} }), call(task('echo')), 'Done.'],
      echo: [wait, 'a', wait, 'b'],
    });
    await ask(Owner);
    expect(renders).toBe(2);
    const words = requestsOf(script, 'echo').map((request) => request.systemPrompt.split('\n')[0]);
    expect(words).toEqual(['one', 'one', 'two', 'two']);
  });

  it('a setter of the parent writes as any tool does (STATE-02, STATE-08)', async () => {
    function Owner() {
      useModel('offline/script');
      const [count, setCount] = usePersistentState('count', 0);
      const add = { name: 'add', description: 'Adds.', run: () => setCount((before) => before + 1) };
      useSubagent({ name: 'adder', description: 'Adds.', agent: () => useTool(add) });
      return `Count: ${count}`;
    }
    const add = { name: 'add', arguments: {} };
    const script = play({
      Owner: [call(task('adder'), task('adder')), 'Done.'],
      adder: [call(add, add), call(add), 'ok'],
    });
    await ask(Owner);
    const last = requestsOf(script, 'Owner').at(-1)!;
    expect(last.systemPrompt).toMatch(/^Count: 3/);
    const writes = ofType(await recordsOf('Owner'), 'state_written');
    expect(writes.map((write) => write.value)).toEqual([1, 2, 3]);
    expect(writes.some((write) => 'call' in write)).toBe(false);
  });

  it('a hook that throws fails the task with its advice, and the parent goes on (HOOK-08, TASK-08)', async () => {
    const wrong = () => useModel('offline/script');
    function Owner() {
      useModel('offline/script');
      useSubagent({ name: 'wrong', description: 'Wrong.', agent: wrong });
    }
    const script = play({ Owner: [call(task('wrong')), 'Noted.'] });
    expect(await ask(Owner)).toBe('Noted.');
    const [result] = results(script, 'Owner');
    expect(result!.isError).toBe(true);
    expect(result!.text).toMatch(
      /^\[flue\] useModel\(\) is not available to a delegate\. .*Set it on the subagent/,
    );
    expect(ofType(await recordsOf('Owner'), 'conversation_opened')).toHaveLength(1);
  });
});

describe('the blank delegate', () => {
  it('has the model of the parent and nothing else, and is there when it is mounted (DELEG-05)', async () => {
    function Owner() {
      useModel('offline/script');
      useSubagent(GeneralSubagent);
      return 'Lead.';
    }
    const script = play({
      Owner: [call(task('flue-general', 'Sum up.')), 'Done.'],
      'flue-general': ['Summed.'],
    });
    await ask(Owner);
    const [request] = requestsOf(script, 'flue-general');
    expect(request!.systemPrompt).not.toContain('Lead');
    expect(request!.tools.map((tool) => tool.name)).toEqual([...BUILTIN_TOOLS, 'task']);
    expect(results(script, 'Owner')).toEqual([{ isError: false, text: 'Summed.' }]);
  });
});

describe('a failing delegate', () => {
  it('is an error result of its task; the response goes on (TASK-08)', async () => {
    const script = play({
      Chief: [call(task('scout')), 'Sorry.'],
      scout: [{ error: { message: 'no such thing', transient: false } }],
    });
    expect(await ask(Chief)).toBe('Sorry.');
    const [result] = results(script, 'Chief');
    expect(result!.isError).toBe(true);
    expect(result!.text).toMatch(/^The turn did not complete: .*no such thing/);
  });

  it('is tried again while the failure is transient, on its own count (RETRY-02, RETRY-04)', async () => {
    const script = play({
      Chief: [call(task('scout')), 'Fine.'],
      scout: [{ error: {} }, { error: {} }, 'Here.'],
    });
    flue = await startTest({ agents: [Chief] });
    const began = flue.clock.now();
    await ask(Chief);
    expect(flue.clock.now() - began).toBeGreaterThanOrEqual(4500);
    expect(results(script, 'Chief')).toEqual([{ isError: false, text: 'Here.' }]);
    expect(requestsOf(script, 'scout')[2]!.messages).toHaveLength(1);
  });

  it('whose model does not resolve starts nothing (SPEC-03, SPEC-06)', async () => {
    function Owner() {
      useModel('offline/script');
      useSubagent({ ...scout, model: 'offline/scirpt' });
    }
    const script = play({ Owner: [call(task('scout')), 'Sorry.'] });
    expect(await ask(Owner)).toBe('Sorry.');
    expect(results(script, 'Owner')).toMatchObject([
      { isError: true, text: expect.stringContaining('offline/scirpt') },
    ]);
    expect(ofType(await recordsOf('Owner'), 'conversation_opened')).toHaveLength(1);
  });
});

describe('tasks within tasks', () => {
  const nested = (): undefined => {
    useSubagent({ name: 'nested', description: 'Nests.', agent: nested });
  };
  function Top() {
    useModel('offline/script');
    nested();
  }

  it('reach four levels; the fifth is an error result and leaves no conversation (DEPTH-01, DEPTH-02, DEPTH-03, TASK-07)', async () => {
    const down = call(task('nested', 'Deeper.'));
    const script = play({ Top: [down, 'Done.'], nested: [down, down, down, down, 'Deep.', '3', '2', '1'] });
    expect(await ask(Top)).toBe('Done.');
    const records = await recordsOf('Top');
    const opened = ofType(records, 'conversation_opened').slice(1);
    expect(opened.map((record) => 'parent' in record && record.parent)).toEqual([false, 1, 2, 3]);
    const refused = ofType(records, 'call_settled').find((record) => record.status === 'error');
    expect(refused).toMatchObject({
      conv: 4,
      content: [{ text: 'Tasks can be nested 4 deep; this one would be deeper. Do the work here instead.' }],
    });
    expect(results(script, 'Top')).toEqual([{ isError: false, text: '1' }]);
  });
});

describe('the usage of a response', () => {
  it('counts what its delegates used, once (USAGE-02, HND-20)', async () => {
    const usage = (input: number) => ({ input, totalTokens: input });
    play({
      Chief: [
        { ...call(task('scout')), usage: usage(1) },
        { text: 'Done.', usage: usage(10) },
      ],
      scout: [{ text: 'Here.', usage: usage(100) }],
    });
    flue = await startTest({ agents: [Chief] });
    const reply = await init(Chief, { id: 'a' }).dispatch('Hi');
    expect(reply.usage).toMatchObject({ input: 111, totalTokens: 111 });
  });
});

describe('a stop', () => {
  it('reaches the delegates, and closes their task with the conversation that it had (TASK-08, TASK-10, TSK-06, FLT-06)', async () => {
    const script = play({
      Chief: [call(task('scout')), 'After.'],
      scout: [{ text: 'slow', delayMs: 60_000 }],
    });
    flue = await startTest({ agents: [Chief] });
    const reply = init(Chief, { id: 'a' })
      .dispatch('Hi')
      .catch((error: unknown) => error);
    await until(() => requestsOf(script, 'scout').length === 1);
    await init(Chief, { id: 'a' }).abort();
    expect(await reply).toMatchObject({ outcome: 'aborted' });
    const [settled] = ofType(await recordsOf('Chief'), 'call_settled');
    expect(settled).toMatchObject({ interrupted: true, status: 'error' });
    expect(JSON.parse((settled!.content![0] as { text: string }).text)).toEqual({
      type: 'interrupted',
      message: expect.any(String),
      childConversationId: expect.stringMatching(/^conv_[0-9A-Z]+\.1$/),
    });
    expect(await ask(Chief)).toBe('After.');
  });

  it('by the deadline lets no turn of a delegate begin (BUD-05, BUD-06, TASK-09)', async () => {
    const dig = { name: 'dig', description: 'Digs.', run: () => 'x' };
    function Timed() {
      useModel('offline/script');
      useSubagent({ ...scout, agent: () => useTool(dig) });
    }
    Timed.durability = { timeoutMs: 10_000 };
    const slow = { ...call({ name: 'dig', arguments: {} }), delayMs: 6000 };
    const script = play({ Timed: [call(task('scout')), 'Never.'], scout: [slow] });
    flue = await startTest({ agents: [Timed] });
    const reply = init(Timed, { id: 'a' })
      .dispatch('Hi')
      .catch((error: unknown) => error);
    expect(await flue.during(reply)).toMatchObject({
      outcome: 'failed',
      cause: { type: 'submission_timeout' },
    });
    expect(requestsOf(script, 'scout')).toHaveLength(2);
    const settled = ofType(await recordsOf('Timed'), 'call_settled');
    expect(settled.at(-1)).toMatchObject({ tool: 'task', interrupted: true });
  });
});

describe('readers', () => {
  it('see nothing of a delegate but the call and its result (STRM-09)', async () => {
    play({ Chief: [call(task('scout', 'Find it.')), 'Found.'], scout: ['Hidden.'] });
    flue = await startTest({ agents: [Chief] });
    const chunks: unknown[] = [];
    const onEvent = (chunk: unknown) => void chunks.push(chunk);
    await init(Chief, { id: 'a' }).dispatch('Hi', { onEvent });
    const deltas = chunks.filter((chunk) => (chunk as { type: string }).type === 'message-delta');
    expect(JSON.stringify(deltas)).not.toContain('Hidden.');
    expect(chunks).toContainEqual(expect.objectContaining({ type: 'tool-output', output: 'Hidden.' }));
  });
});
