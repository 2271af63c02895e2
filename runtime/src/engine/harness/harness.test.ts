import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { until } from '../../app/runtime.test.support.ts';
import { useSkill } from '../hooks/use-skill.ts';
import { useSubagent } from '../hooks/use-subagent.ts';
import { useTool } from '../hooks/use-tool.ts';
import { defineTool } from '../tools/define-tool.ts';
import type { FlueHarness } from '../tools/tool-definition.ts';
import { validateAndRunTool } from '../tools/validate-and-run-tool.ts';
import {
  ask,
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

const PNG = 'iVBORw0KGgo=';
const usage = (totalTokens: number) => ({ usage: { totalTokens } });

describe('a harness', () => {
  it('has a name, prompt(), compact() and the live sandbox, and none can be made (HARN-01, HARN-02, FLAG-01)', async () => {
    play([]);
    await ask(
      deskThat((harness) => {
        expect(Object.keys(harness).sort()).toEqual(['compact', 'name', 'prompt', 'sandbox']);
        expect(harness.name).toBe('default');
        expect(Object.isFrozen(harness)).toBe(true);
        return Object.getPrototypeOf(harness) === Object.prototype;
      }),
    );
    expect(await outcome()).toMatchObject({ status: 'ok', output: true });
  });

  it('prompts the model in a conversation of its own, which later prompts continue (HARN-04, HARN-09)', async () => {
    const script = play(['Seven.', 'Eight.']);
    const reply = await ask(
      deskThat(async ({ prompt }) => {
        const first = await prompt('Count.');
        const second = await prompt('Go on.');
        return [first, second];
      }),
    );
    expect(reply.text).toBe('Done.');
    expect((await outcome())?.output).toMatchObject([
      { text: 'Seven.', model: { provider: 'offline', id: 'script' }, usage: expect.any(Object) },
      { text: 'Eight.' },
    ]);
    const [, second] = scratchRequests(script);
    expect(second?.messages.map(textOf)).toEqual(['Count.', 'Seven.', 'Go on.']);
    const settled = await outcome();
    expect(await scratchRecords()).toMatchObject([
      { type: 'conversation_opened', conv: 1, kind: 'harness', call: settled!.call },
      { type: 'user_message', conv: 1, body: 'Count.' },
      { type: 'assistant_message', conv: 1, turn: 1 },
      { type: 'user_message', conv: 1, body: 'Go on.' },
      { type: 'assistant_message', conv: 1, turn: 2 },
    ]);
  });

  it('begins with what the agent has and with nothing that was said (HARN-05)', async () => {
    const script = play(['Fine.']);
    await ask(
      deskThat(
        ({ prompt }) => prompt('Look.'),
        () => {
          useTool({ name: 'own', description: 'Of the agent.', run: () => 'x' });
          useSkill({ name: 'tidy', description: 'Tidies up.', instructions: 'Tidy.' });
          useSubagent({ name: 'scout', description: 'Looks around.', agent: () => 'Look.' });
        },
        { thinkingLevel: 'low' },
      ),
    );
    const [main] = script.requests;
    const [scratch] = scratchRequests(script);
    expect(scratch?.messages.map(textOf)).toEqual(['Look.']);
    expect(scratch?.systemPrompt).toBe(main?.systemPrompt);
    expect(scratch?.systemPrompt).toMatch(/^Be a desk\.\n.*\*\*tidy\*\*.*\*\*scout\*\*/s);
    expect(scratch?.tools.map(({ name }) => name)).toEqual(main?.tools.map(({ name }) => name));
    expect(scratch?.tools.map(({ name }) => name)).toContain('own');
    expect(scratch?.options.thinkingLevel).toBe('low');
  });

  it('runs the tools, skills and delegates of the agent under the same rules (TASK-11, SKILL-24, TASK-01, TSK-01)', async () => {
    const script = play([
      call('own'),
      call('activate_skill', { name: 'tidy' }),
      call('task', { agent: 'scout', prompt: 'Look around.' }),
      'Trees.',
      'All done.',
    ]);
    await ask(
      deskThat(
        ({ prompt }) => prompt('Go.'),
        () => {
          useTool({ name: 'own', description: 'Of the agent.', run: () => 'own result' });
          useSkill({ name: 'tidy', description: 'Tidies up.', instructions: 'Put it away.' });
          useSubagent({ name: 'scout', description: 'Looks around.', agent: () => 'Look.' });
        },
      ),
    );
    const last = scratchRequests(script).at(-1);
    const results = last!.messages.filter(({ role }) => role === 'tool').map(textOf);
    expect(results).toEqual(['"own result"', expect.stringContaining('Put it away.'), 'Trees.']);
    expect((await outcome())?.output).toMatchObject({ text: 'All done.' });
    const opened = ofType(await records(), 'conversation_opened').slice(1);
    expect(opened).toMatchObject([
      { conv: 1, kind: 'harness' },
      { conv: 2, kind: 'task', parent: 1, agent: 'scout' },
    ]);
  });

  it('takes a model, a thinking level, images and tools for one prompt alone (HARN-07, THINK-02, SPEC-03)', async () => {
    const script = play([call('extra'), 'One.', 'Two.']);
    const extra = defineTool({ name: 'extra', description: 'Extra.', run: () => 'extra' });
    await ask(
      deskThat(async ({ prompt }) => {
        const images = [{ type: 'image' as const, data: PNG, mimeType: 'image/png' }];
        await prompt('With.', { tools: [extra], thinkingLevel: 'high', images });
        return prompt('Without.');
      }),
    );
    const [first, , second] = scratchRequests(script);
    expect(first?.tools.map(({ name }) => name)).toContain('extra');
    expect(first?.options.thinkingLevel).toBe('high');
    expect(first?.messages[0]?.content).toEqual([
      { type: 'text', text: 'With.' },
      { type: 'image', mimeType: 'image/png', data: PNG },
    ]);
    expect(second?.tools.map(({ name }) => name)).not.toContain('extra');
    expect(second?.options.thinkingLevel).toBe('medium');
    expect(second?.messages[0]?.content).toHaveLength(2);
    const [prompted] = ofType(await scratchRecords(), 'user_message');
    expect(prompted?.attachments).toMatchObject([
      { id: expect.stringMatching(/^att_[0-9a-f]{32}$/), size: 8 },
    ]);
  });

  it.each([
    ['an empty text', ' ', undefined, 'text must be a non-empty string.'],
    ['a text that is none', 7, undefined, 'text must be a non-empty string.'],
    [
      'an unknown option',
      'x',
      { modle: 'a/b' },
      'options has no field "modle"; did you mean "model"? It takes',
    ],
    ['options that are none', 'x', 'fast', 'options must be an object.'],
    ['a level', 'x', { thinkingLevel: 'huge' }, 'options.thinkingLevel must be one of off, minimal, low'],
    ['a signal', 'x', { signal: {} }, 'options.signal must be an AbortSignal.'],
    ['tools', 'x', { tools: {} }, 'options.tools must be an array'],
    [
      'an image',
      'x',
      { images: [{ type: 'image', data: '!', mimeType: 'image/png' }] },
      'options.images[0].data must be',
    ],
    ['a schema', 'x', { result: {} }, 'options.result must be a synchronous Valibot schema.'],
  ])('refuses %s before anything is recorded (HARN-07)', async (_, text, options, details) => {
    const script = play([]);
    let failure: Error | undefined;
    await ask(
      deskThat(async (harness) => {
        failure = await failureOf(harness.prompt(text as string, options as never));
      }),
    );
    expect(failure).toMatchObject({ type: 'invalid_request', details: expect.stringContaining(details) });
    expect(scratchRequests(script)).toEqual([]);
    expect(await scratchRecords()).toEqual([]);
  });

  it.each([
    ['finish', 'reserved', 'custom'],
    ['task', 'reserved', 'custom'],
    ['work', 'duplicate', 'custom'],
    ['bash', 'duplicate', 'builtin'],
  ])('takes no extra tool %s (HARN-08, NAME-02, RES-01)', async (name, conflict, source) => {
    play([]);
    let failure: Error | undefined;
    await ask(
      deskThat(async ({ prompt }) => {
        failure = await failureOf(prompt('x', { tools: [{ name, description: 'Mine.', run: () => 1 }] }));
      }),
    );
    expect(failure).toMatchObject({ type: 'tool_name_conflict', meta: { name, conflict, source } });
    expect(await scratchRecords()).toEqual([]);
  });

  it('runs one operation at a time, and the first is unaffected by a second (HARN-06)', async () => {
    play([{ text: 'First.', delayMs: 500 }, 'Third.']);
    const failures: unknown[] = [];
    await ask(
      deskThat(async (harness) => {
        const first = harness.prompt('One.');
        failures.push(await failureOf(harness.prompt('Two.')), await failureOf(harness.compact()));
        const { text } = await first;
        return [text, (await harness.prompt('Three.')).text];
      }),
    );
    expect(failures).toMatchObject([{ type: 'session_busy' }, { type: 'session_busy' }]);
    expect((await outcome())?.output).toEqual(['First.', 'Third.']);
    expect(ofType(await scratchRecords(), 'user_message').map(({ body }) => body)).toEqual([
      'One.',
      'Three.',
    ]);
  });

  it('is closed once its call has settled; what still ran is stopped first (HARN-03, TCALL-20)', async () => {
    play([{ text: 'Never.', delayMs: 3_600_000 }]);
    let kept: FlueHarness | undefined;
    let running: Promise<unknown> | undefined;
    const reply = await ask(
      deskThat(async (harness) => {
        kept = harness;
        running = failureOf(harness.prompt('Slow.'));
        await until(() => scratchSize().then((size) => size > 0));
        return 'left';
      }),
    );
    expect(reply.text).toBe('Done.');
    expect(await running).toMatchObject({ name: 'AbortError' });
    expect(await outcome()).toMatchObject({ status: 'ok', output: 'left' });
    for (const use of [() => kept!.prompt('x'), () => kept!.compact()]) {
      expect(await failureOf(use())).toMatchObject({
        type: 'harness_closed',
        message: expect.stringMatching(/^harness\.\w+ was used after its tool call had settled\.$/),
      });
    }
    expect(() => kept!.sandbox).toThrow('harness.sandbox was used after its tool call had settled.');
    expect(ofType(await scratchRecords(), 'assistant_message')).toMatchObject([{ stop: 'aborted' }]);
  });

  it('is closed as well when its call runs out of time (HARN-03, TOOL-14)', async () => {
    play([{ text: 'Never.', delayMs: 3_600_000 }]);
    let running: Promise<unknown> | undefined;
    const agent = desk(
      () => 'unused',
      () =>
        useTool({
          name: 'slow',
          description: 'Slow.',
          harness: true,
          timeoutMs: 1_000,
          run: ({ harness }) => {
            running = failureOf(harness.prompt('Slow.'));
            return new Promise(() => {});
          },
        }),
    );
    play([{ text: 'Never.', delayMs: 3_600_000 }], [call('slow')]);
    await ask(agent);
    expect(await outcome('slow')).toMatchObject({ status: 'error' });
    expect(await running).toMatchObject({ name: 'AbortError' });
  });

  it('rejects with what failed the model, and fails nothing else (HARN-10)', async () => {
    play([{ error: { message: 'No such thing (scripted)', transient: false } }, 'Better.']);
    let failure: Error | undefined;
    const reply = await ask(
      deskThat(async ({ prompt }) => {
        failure = await failureOf(prompt('Try.'));
        return (await prompt('Again.')).text;
      }),
    );
    expect(failure).toMatchObject({
      type: 'operation_failed',
      meta: {
        operation: 'prompt',
        category: 'provider',
        provider: 'offline',
        model: 'script',
        retryable: false,
      },
    });
    expect(reply.text).toBe('Done.');
    expect((await outcome())?.output).toBe('Better.');
  });

  it('rejects for a model that does not resolve, before anything is recorded (SPEC-03, SPEC-04)', async () => {
    play([]);
    const failures: unknown[] = [];
    await ask(
      deskThat(async ({ prompt }) => {
        failures.push(await failureOf(prompt('x', { model: 'nobody/x' })));
        failures.push(await failureOf(prompt('x', { model: 'plain' })));
      }),
    );
    expect(failures).toMatchObject([{ type: 'unknown_provider' }, { type: 'invalid_model_specifier' }]);
    expect(await scratchRecords()).toEqual([]);
  });

  it('tries transient failures again within the same prompt (RETRY-01, USAGE-02)', async () => {
    play([
      { error: {}, ...usage(5) },
      { text: 'Here.', ...usage(20) },
    ]);
    await ask(deskThat(({ prompt }) => prompt('Try.')));
    expect((await outcome())?.output).toMatchObject({ text: 'Here.', usage: { totalTokens: 25 } });
  });

  it('sums what the operation spent, tasks below it included, and the reply holds each once (USAGE-02, HND-20)', async () => {
    play(
      [
        { ...call('task', { agent: 'scout', prompt: 'Look.' }), ...usage(10) },
        { text: 'Trees.', ...usage(3) },
        { text: 'One.', ...usage(20) },
        { text: 'Two.', ...usage(40) },
      ],
      [
        { ...callWork, ...usage(100) },
        { text: 'Done.', ...usage(200) },
      ],
    );
    const reply = await ask(
      deskThat(
        async ({ prompt }) => {
          const [first, second] = [await prompt('One.'), await prompt('Two.')];
          return [first.usage.totalTokens, second.usage.totalTokens];
        },
        () => useSubagent({ name: 'scout', description: 'Looks.', agent: () => 'Look.' }),
      ),
    );
    expect((await outcome())?.output).toEqual([33, 40]);
    expect(reply.usage?.totalTokens).toBe(373);
  });

  it('compacts its own conversation, and has nothing to compact at first (HARN-12, CMP-12)', async () => {
    const script = play(['One.', 'Two.', 'Three.']);
    await ask(
      deskThat(
        async (harness) => {
          await harness.compact();
          await harness.prompt('First.');
          await harness.prompt('Second.');
          await harness.compact();
          return (await harness.prompt('Third.')).text;
        },
        () => {},
        { compaction: { keepRecentTokens: 0 } },
      ),
    );
    expect((await outcome())?.output).toBe('Three.');
    expect(ofType(await records(), 'compaction')).toMatchObject([{ conv: 1, reason: 'manual' }]);
    expect(scratchRequests(script).at(-1)?.messages.map(textOf)).toEqual([
      expect.stringContaining('A summary.'),
      'Third.',
    ]);
  });

  it('rejects a compaction whose summary fails or is stopped, and changes nothing (HARN-12, HARN-03)', async () => {
    const script = play(['One.', 'Two.'], [callWork], { error: { message: 'no', transient: false } });
    const failures: unknown[] = [];
    const agent = deskThat(
      async (harness) => {
        await harness.prompt('First.');
        failures.push(await failureOf(harness.compact()));
        await harness.prompt('Second.');
        void failureOf(harness.compact()).then((failure) => failures.push(failure));
      },
      () => {},
      { compaction: { keepRecentTokens: 0 } },
    );
    await ask(agent);
    expect(failures).toMatchObject([
      { type: 'operation_failed', meta: { operation: 'compaction' } },
      { name: 'AbortError' },
    ]);
    expect(ofType(await records(), 'compaction')).toEqual([]);
    expect(scratchRequests(script).at(-1)?.messages.map(textOf)).toContain('First.');
  });

  it('reaches the environment of the agent, of which nothing is recorded (HARN-13, SBX-07)', async () => {
    play([call('read', { path: 'note.txt' }), 'Read.']);
    await ask(
      deskThat(async ({ sandbox, prompt }) => {
        await sandbox.writeFile('note.txt', 'a secret note');
        await prompt('Read it.');
        return (await sandbox.exec('echo hello')).stdout.trim();
      }),
    );
    expect((await outcome())?.output).toBe('hello');
    const read = ofType(await scratchRecords(), 'call_settled');
    expect(read).toHaveLength(1);
    expect(JSON.stringify(read)).toContain('a secret note');
    // What the model read is recorded as what it read.
    const others = (await records()).filter(
      (record) => !('conv' in record && record.type === 'call_settled'),
    );
    expect(JSON.stringify(others)).not.toContain('a secret note');
  });

  it('adds a level to the depth, of which a fifth is refused without a record (DEPTH-01, DEPTH-02, DEPTH-03, TASK-07)', async () => {
    const agent = deskThat(async ({ prompt }) => (await prompt('Deeper.')).text);
    play([callWork, callWork, callWork, callWork, 'Back.', 'Back.', 'Back.', 'Back.']);
    await ask(agent);
    const all = await records();
    expect(ofType(all, 'conversation_opened').map((record) => ('conv' in record ? record.conv : 0))).toEqual([
      0, 1, 2, 3, 4,
    ]);
    const settled = ofType(all, 'call_settled');
    expect(settled.map(({ status }) => status)).toEqual(['error', 'ok', 'ok', 'ok', 'ok']);
    expect(JSON.stringify(settled[0]?.content)).toContain('4 deep');
  });

  it('does not exist outside an agent (TOOL-11)', async () => {
    const tool = defineTool({ name: 'work', description: 'Works.', harness: true, run: () => 1 });
    await expect(validateAndRunTool(tool)).rejects.toThrow(
      'needs a harness, and there is none outside an agent',
    );
  });

  it('is typed: results by their schema, and no harness without the flag (HARN-09, RES-03, FLAG-01)', () => {
    defineTool({
      name: 'typed',
      description: 'Typed.',
      harness: true,
      async run({ harness }) {
        const { data } = await harness.prompt('x', { result: v.object({ n: v.number() }) });
        const { text } = await harness.prompt('x');
        // @ts-expect-error: there is no data without a schema
        const none = (await harness.prompt('x')).data;
        return [data.n satisfies number, text satisfies string, none];
      },
    });
    defineTool({
      name: 'plain',
      description: 'Plain.',
      // @ts-expect-error: the flag is missing
      run: ({ harness }) => harness,
    });
  });
});

async function scratchSize(): Promise<number> {
  return ofType(await scratchRecords(), 'user_message').length;
}
