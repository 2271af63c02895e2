import { describe, expect, it, onTestFinished } from 'vitest';
import { dispatch } from '../../app/dispatch.ts';
import { init } from '../../app/init.ts';
import {
  startTest,
  storedRecords,
  type TestRuntime,
  temporaryFile,
  until,
} from '../../app/runtime.test.support.ts';
import type { RecordType } from '../../conversation/records/index.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { type ScriptStep, scriptModel } from '../../testing/script-model.ts';
import type { Agent } from '../agent.ts';
import { useSubagent } from '../hooks/use-subagent.ts';
import { useTool } from '../hooks/use-tool.ts';
import type { ToolContext } from '../tools/tool-definition.ts';
import {
  ask,
  boot,
  call,
  callWork,
  desk,
  deskThat,
  failureOf,
  ofType,
  outcome,
  play,
  records,
  scratchRecords,
  scratchRequests,
  textOf,
} from './harness.test.support.ts';
import { openHarness } from './open-harness.ts';

/* How harnesses end and begin again: with their siblings, their submission, their process. */

const never: ScriptStep = { text: 'Never.', delayMs: 3_600_000_000 };
const opened = async () => ofType(await scratchRecords(), 'conversation_opened');

describe('harnesses of one response', () => {
  it('work at the same time, each on its own (HARN-04, TURN-05, USAGE-02)', async () => {
    const both: ScriptStep = {
      toolCalls: [
        { name: 'work', arguments: {}, id: 'one' },
        { name: 'work', arguments: {}, id: 'two' },
      ],
    };
    play(
      [
        { text: 'A.', delayMs: 300, usage: { totalTokens: 3 } },
        { text: 'B.', delayMs: 300, usage: { totalTokens: 5 } },
      ],
      [both],
    );
    const reply = await ask(
      deskThat(async ({ prompt }) => {
        const { text, usage } = await prompt('Go.');
        return `${text} ${usage.totalTokens}`;
      }),
    );
    const outputs = ofType(await records(), 'call_settled').map(({ output }) => output);
    expect(outputs.toSorted()).toEqual(['A. 3', 'B. 5']);
    expect(await opened()).toMatchObject([
      { conv: 1, call: 'one' },
      { conv: 2, call: 'two' },
    ]);
    expect(reply.usage?.totalTokens).toBe(8);
  });

  it("is its delegate's where a delegate's tool asks for one (HARN-05, DEPTH-01)", async () => {
    const script = play(
      [call('help'), 'Seen.', 'Helped.'],
      [call('task', { agent: 'helper', prompt: 'Help.' })],
    );
    await ask(
      deskThat(
        () => {},
        () =>
          useSubagent({
            name: 'helper',
            description: 'Helps.',
            agent() {
              useTool({
                name: 'help',
                description: 'Helps.',
                harness: true,
                run: async ({ harness }) => (await harness.prompt('Look.')).text,
              });
              return 'Be a helper.';
            },
          }),
      ),
    );
    const [, own] = scratchRequests(script);
    expect(own?.systemPrompt).toMatch(/^Be a helper\./);
    expect(own?.messages.map(textOf)).toEqual(['Look.']);
    expect(await opened()).toMatchObject([
      { conv: 1, kind: 'task' },
      { conv: 2, kind: 'harness', parent: 1 },
    ]);
    expect(await outcome('help')).toMatchObject({ conv: 1, output: 'Seen.' });
  });

  it('hands an image of its prompt on to a delegate (TASK-06, TASK-11, HARN-07)', async () => {
    const data = 'iVBORw0KGgo=';
    const script = scriptModel({
      steps({ messages, options }) {
        const [first] = messages;
        if (options.agent === 'scout') return { text: 'A chart.' };
        if (messages.some(({ role }) => role === 'tool')) return { text: 'Done.' };
        if (textOf(first) === 'Hi') return callWork;
        const id = /att_[0-9a-f]{32}/.exec(textOf(first))?.[0];
        return call('task', { agent: 'scout', prompt: 'Look.', attachments: [{ id }] });
      },
    });
    await ask(
      deskThat(
        ({ prompt }) => prompt('What is it?', { images: [{ type: 'image', data, mimeType: 'image/png' }] }),
        () => useSubagent({ name: 'scout', description: 'Looks.', agent: () => 'Look.' }),
      ),
    );
    const request = script.requests.find(({ options }) => options.agent === 'scout');
    expect(request?.messages[0]?.content).toContainEqual({ type: 'image', mimeType: 'image/png', data });
  });

  it('compacts a scratch conversation that grows too large, and goes on in it (CMP-03, CMP-04, HARN-04)', async () => {
    const script = play([{ text: 'Long.', usage: { totalTokens: 130_000 } }, 'After.']);
    await ask(
      deskThat(
        async ({ prompt }) => {
          await prompt('First.');
          const { text, usage } = await prompt('Second.');
          return [text, usage.totalTokens];
        },
        () => {},
        { compaction: { keepRecentTokens: 0 } },
      ),
    );
    expect(ofType(await records(), 'compaction')).toMatchObject([{ conv: 1, reason: 'threshold' }]);
    expect((await outcome())?.output).toEqual(['After.', 0]);
    const texts = scratchRequests(script).at(-1)?.messages.map(textOf);
    expect(texts).toEqual([expect.stringContaining('A summary.'), 'Second.']);
  });

  it('gives the environment that is current when it is asked (HARN-13, FLP-04)', () => {
    let env = { cwd: '/one' };
    const parent = {
      get workspace() {
        return { env };
      },
    };
    const equip = () => {
      throw new Error('Nothing is prompted.');
    };
    const { harness } = openHarness({ parent, owner: { call: 'c' }, frame: {}, equip } as never);
    const before = harness.sandbox;
    env = { cwd: '/two' };
    expect([before.cwd, harness.sandbox.cwd]).toEqual(['/one', '/two']);
  });
});

describe('a harness whose submission ends', () => {
  /** Runs until the scratch conversation has been asked, then ends the submission. */
  async function endDuringPrompt(end: (agent: Agent, flue: TestRuntime) => Promise<unknown>, agent: Agent) {
    const flue = await boot(agent);
    const failure = failureOf(init(agent, { id: 'a' }).dispatch('Hi'));
    await until(async () => ofType(await scratchRecords(), 'user_message').length > 0);
    await end(agent, flue);
    return { failure: await flue.during(failure, 10_000), flue };
  }

  it('by an abort rejects its prompt, and nothing of it is written afterwards (CALL-02, ABT-04, RCD-61)', async () => {
    play([never]);
    let rejected: unknown;
    const agent = deskThat(async ({ prompt }) => {
      const handle = prompt('Slow.');
      rejected = await failureOf(handle);
      await handle;
    });
    const { failure } = await endDuringPrompt((one) => init(one, { id: 'a' }).abort(), agent);
    expect(failure).toMatchObject({ outcome: 'aborted' });
    expect(rejected).toMatchObject({ name: 'AbortError', cause: { type: 'submission_aborted' } });
    const all = await records();
    expect(all.at(-1)?.type).toBe('submission_settled');
    expect(ofType(all, 'assistant_message').map((record) => record.conv)).toEqual([undefined]);
    expect(ofType(all, 'call_settled')).toMatchObject([{ tool: 'work', interrupted: true }]);
  });

  it('by its deadline takes no further turn (BUD-06, TURN-16)', async () => {
    const script = play([{ ...call('own'), delayMs: 90_000 }, 'Late.']);
    let rejected: unknown;
    const agent = deskThat(
      async ({ prompt }) => {
        rejected = await failureOf(prompt('Slow.'));
      },
      () => useTool({ name: 'own', description: 'Own.', run: () => 'x' }),
    );
    const limited: Agent = Object.assign(agent, { durability: { timeoutMs: 60_000 } });
    const { failure } = await endDuringPrompt(async () => {}, limited);
    expect(failure).toMatchObject({ cause: { type: 'submission_timeout' } });
    expect(rejected).toMatchObject({ name: 'AbortError' });
    expect(scratchRequests(script)).toHaveLength(1);
  });
});

describe('a process that stops while a harness prompts', () => {
  function persistent(agent: Agent) {
    const file = temporaryFile();
    const clock = fakeClock();
    let flue: TestRuntime | undefined;
    const stop = async () => {
      await flue?.stop({ timeoutMs: 0 });
      flue = undefined;
    };
    onTestFinished(async () => {
      await stop();
      file.remove();
    });
    return {
      stop,
      async start() {
        flue = await startTest({ agents: [agent], db: file.adapter(clock), clock });
        return flue;
      },
    };
  }
  const stored = async <T extends RecordType>(type: T) => ofType(await storedRecords('Desk', 'a'), type);
  const reads = (agent: Agent, dispatchId: string) => init(agent, { id: 'a' }).read(dispatchId);

  it('gives the call of an ordinary tool an unknown outcome (TCALL-12, HARN-11)', async () => {
    const agent = deskThat(({ prompt }) => prompt('Slow.'));
    const process_ = persistent(agent);
    play([never]);
    await process_.start();
    const { dispatchId } = await dispatch(agent, { id: 'a', message: 'Hi' });
    await until(async () => (await stored('user_message')).length > 1);
    await process_.stop();
    play([], []);
    const flue = await process_.start();
    await flue.during(reads(agent, dispatchId));
    expect(await stored('call_settled')).toMatchObject([
      { tool: 'work', status: 'error', interrupted: true },
    ]);
    expect(await stored('submission_settled')).toMatchObject([{ outcome: 'completed' }]);
  });

  it('executes a durable tool again with a new conversation; recorded steps prompt no more (HARN-11, FLAG-03, STEP-01)', async () => {
    let runs = 0;
    const agent = desk(
      () => {},
      () =>
        useTool({
          name: 'draft',
          description: 'Drafts.',
          harness: true,
          durable: true,
          async run({ harness, step }: ToolContext<undefined, true, true>) {
            runs += 1;
            const ask = (text: string) => step.do(text, async () => (await harness.prompt(text)).text);
            return [await ask('Outline.'), await ask('Write.')];
          },
        }),
    );
    const process_ = persistent(agent);
    play(['Outlined.', never], [call('draft')]);
    await process_.start();
    const { dispatchId } = await dispatch(agent, { id: 'a', message: 'Hi' });
    await until(
      async () => (await stored('step_recorded')).length > 0 && (await stored('user_message')).length > 2,
    );
    await process_.stop();
    const script = play(['Written.'], []);
    const flue = await process_.start();
    await flue.during(reads(agent, dispatchId));
    expect(runs).toBe(2);
    expect((await stored('call_settled')).map(({ output }) => output)).toEqual([['Outlined.', 'Written.']]);
    expect(scratchRequests(script).map(({ messages }) => messages.map(textOf))).toEqual([['Write.']]);
    const conversations = (await stored('conversation_opened')).filter((record) => record.kind === 'harness');
    expect(conversations).toMatchObject([{ conv: 1 }, { conv: 2 }]);
  });
});
