import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { ScriptStep } from '../../testing/script-model.ts';
import { hear, ofEvent, silence } from '../events/events.test.support.ts';
import { pathWithoutJsonForm } from '../tools/json-schema.ts';
import { ResultUnavailableError } from './errors.ts';
import {
  ask,
  call,
  deskThat,
  failureOf,
  ofType,
  outcome,
  play,
  scratchRecords,
  scratchRequests,
  textOf,
} from './harness.test.support.ts';

const Report = v.object({ risk: v.picklist(['low', 'high']), pages: v.optional(v.number(), 1) });
const finish = (args: unknown) => call('finish', args);

/** Prompts for data of a schema; gives what the handle came to. */
async function promptFor(schema: v.GenericSchema, scratch: readonly (ScriptStep | string)[]) {
  const script = play(scratch);
  let response: { data: unknown } | undefined;
  let failure: Error | undefined;
  await ask(
    deskThat(async ({ prompt }) => {
      const handle = prompt('Assess it.', { result: schema });
      failure = await failureOf(handle);
      if (!failure) response = await handle;
    }),
  );
  return { script, response, failure };
}

/** What the model read of its calls in the last request. */
const results = (script: ReturnType<typeof play>) =>
  scratchRequests(script)
    .at(-1)!
    .messages.flatMap((message) =>
      message.role === 'tool' ? [`${message.isError ? 'error: ' : ''}${textOf(message)}`] : [],
    );

describe('a prompt for a result', () => {
  it('offers finish and give_up, and resolves with the parsed arguments (RES-01, RES-03, HARN-09)', async () => {
    const { script, response } = await promptFor(Report, [finish({ risk: 'low' })]);
    expect(response).toEqual({
      data: { risk: 'low', pages: 1 },
      usage: expect.any(Object),
      model: { provider: 'offline', id: 'script' },
    });
    const [request, ...more] = scratchRequests(script);
    expect(more).toEqual([]);
    const offered = Object.fromEntries(request!.tools.map((tool) => [tool.name, tool.parameters]));
    expect(offered.finish).toMatchObject({
      properties: { risk: { enum: ['low', 'high'] } },
      required: ['risk'],
    });
    expect(offered.give_up).toMatchObject({
      properties: { reason: { type: 'string', minLength: 1 } },
      required: ['reason'],
    });
  });

  it('offers neither without a schema (RES-01)', async () => {
    const script = play(['Fine.']);
    await ask(deskThat(({ prompt }) => prompt('x')));
    expect(scratchRequests(script)[0]!.tools.map(({ name }) => name)).not.toContain('finish');
  });

  it.each([
    ['a number', v.number(), { result: 7 }, 7],
    ['a list', v.array(v.string()), { result: ['a'] }, ['a']],
    ['a union of objects', v.union([v.object({ a: v.string() }), v.null()]), { result: null }, null],
    [
      'a transform',
      v.pipe(
        v.string(),
        v.transform((text) => text.length),
      ),
      { result: 'four' },
      4,
    ],
    [
      'a piped object',
      v.pipe(
        v.object({ n: v.number() }),
        v.check(({ n }) => n > 0),
      ),
      { n: 1 },
      { n: 1 },
    ],
  ])('takes %s, in an object of its own where it is none (RES-02, RES-03)', async (_, schema, args, data) => {
    const { script, response } = await promptFor(schema, [finish(args)]);
    expect(response?.data).toEqual(data);
    const tool = scratchRequests(script)[0]!.tools.find(({ name }) => name === 'finish');
    expect(tool?.parameters.type).toBe('object');
  });

  it('refuses a schema that no model can supply at the call, naming the path (RES-02)', async () => {
    const { failure } = await promptFor(v.object({ orders: v.array(v.object({ at: v.date() })) }), []);
    expect(failure).toMatchObject({
      type: 'invalid_request',
      details: 'options.result.orders[].at has no JSON form, so no model can supply it.',
    });
    expect(await scratchRecords()).toEqual([]);
  });

  it.each<[string, v.GenericSchema, string | undefined]>([
    ['a date', v.date(), ''],
    ['a custom value', v.object({ a: v.custom<string>(() => true) }), '.a'],
    ['a tuple', v.tuple([v.string(), v.map(v.string(), v.string())]), '[1]'],
    ['a record', v.record(v.string(), v.bigint()), '[]'],
    ['something optional', v.object({ a: v.optional(v.set(v.string())) }), '.a'],
    ['a union that has a member for it', v.union([v.date(), v.string()]), undefined],
    ['a union without', v.union([v.date(), v.bigint()]), ''],
    [
      'what is transformed to a date',
      v.pipe(
        v.string(),
        v.transform((text) => new Date(text)),
      ),
      undefined,
    ],
    ['a picklist', v.picklist(['a']), undefined],
    ['an enum', v.enum({ A: 'a' }), undefined],
    ['anything', v.object({ a: v.unknown(), b: v.any(), c: v.nullish(v.literal(1)) }), undefined],
    ['variants', v.variant('t', [v.object({ t: v.literal('a'), at: v.date() })]), '.at'],
  ])('finds what has no JSON form in %s (RES-02)', (_, schema, path) => {
    expect(pathWithoutJsonForm(schema)).toBe(path);
  });

  it('follows a schema that holds itself (RES-02)', () => {
    type Tree = { children: Tree[]; at?: Date | undefined };
    const tree: v.GenericSchema<Tree> = v.object({
      children: v.array(v.lazy(() => tree)),
      at: v.optional(v.date()),
    });
    expect(pathWithoutJsonForm(tree)).toBe('.at');
  });

  it('tells the model every issue with its path, and it may call again (RES-04)', async () => {
    const { script, response } = await promptFor(Report, [
      finish({ risk: 'some', pages: 'two' }),
      finish({ risk: 'high' }),
    ]);
    expect(response?.data).toEqual({ risk: 'high', pages: 1 });
    expect(results(script)).toEqual([
      expect.stringMatching(/^error: .*risk: Invalid type.*; pages: Invalid type/),
    ]);
  });

  it('takes the first success and ends after its tool batch; later calls are refused (RES-05)', async () => {
    const both: ScriptStep = {
      toolCalls: [
        { name: 'finish', arguments: { risk: 'low' } },
        { name: 'finish', arguments: { risk: 'high' } },
        { name: 'give_up', arguments: { reason: 'No.' } },
      ],
    };
    const { script, response } = await promptFor(Report, [both, 'More.']);
    expect(response?.data).toMatchObject({ risk: 'low' });
    expect(scratchRequests(script)).toHaveLength(1);
    const settled = ofType(await scratchRecords(), 'call_settled');
    expect(settled.map(({ status }) => status)).toEqual(['ok', 'error', 'error']);
  });

  it('asks a model that stops without a result, in the scratch conversation (RES-06, RES-08)', async () => {
    const { script, response } = await promptFor(Report, ['Hm.', { error: {} }, finish({ risk: 'low' })]);
    expect(response?.data).toMatchObject({ risk: 'low' });
    const prompts = ofType(await scratchRecords(), 'user_message').map(({ body }) => body);
    expect(prompts).toEqual(['Assess it.', expect.stringContaining('Call `finish`')]);
    // The transient failure comes after the message, and the retry reads it again.
    const texts = scratchRequests(script)
      .slice(1)
      .map(({ messages }) => messages.map(textOf));
    expect(texts).toEqual([texts[0], texts[0]]);
    expect(texts[0]).toEqual(['Assess it.', 'Hm.', prompts[1]]);
  });

  it('is given up by the model, in its own words (RES-07)', async () => {
    const { failure } = await promptFor(Report, [
      {
        text: 'I cannot see it.',
        usage: { totalTokens: 9 },
        toolCalls: [{ name: 'give_up', arguments: { reason: 'No contract.' } }],
      },
    ]);
    expect(failure).toBeInstanceOf(ResultUnavailableError);
    expect(failure).toMatchObject({
      name: 'ResultUnavailableError',
      reason: 'No contract.',
      assistantText: 'I cannot see it.',
      usage: { totalTokens: 9 },
      model: { provider: 'offline', id: 'script' },
    });
    expect(failure).not.toHaveProperty('issues');
    expect((await outcome())?.status).toBe('ok');
  });

  it('is an operation that failed, with what it spent (EVT-05, RES-07)', async () => {
    const heard = hear(['operation_start', 'operation']);
    await promptFor(Report, [{ ...call('give_up', { reason: 'No contract.' }), usage: { totalTokens: 9 } }]);
    silence();
    expect(ofEvent(heard, 'operation')).toMatchObject([
      {
        harness: 'default',
        isError: true,
        usage: { totalTokens: 9 },
        errorInfo: { name: 'ResultUnavailableError' },
      },
      { isError: false },
    ]);
  });

  it('needs a reason to give up (RES-01)', async () => {
    const { script, failure } = await promptFor(Report, [
      call('give_up', { reason: ' ' }),
      call('give_up', { reason: 'Lost.' }),
    ]);
    expect(failure).toMatchObject({ reason: 'Lost.' });
    expect(results(script)).toEqual([expect.stringContaining('error: ')]);
  });

  it('ends when the model has stopped four times (RES-06, RES-07)', async () => {
    const { script, failure } = await promptFor(Report, ['One.', 'Two.', 'Three.', 'Four.', 'Five.']);
    expect(scratchRequests(script)).toHaveLength(4);
    expect(failure).toMatchObject({
      reason: 'the model stopped 4 times without calling "finish" or "give_up".',
      assistantText: 'Four.',
    });
  });

  it('ends at the fifth refused finish, with its issues (RES-06, RES-07)', async () => {
    const bad = finish({ risk: 'some' });
    const cut = finish('{"risk":');
    const { script, failure } = await promptFor(Report, [bad, cut, bad, bad, bad, finish({ risk: 'low' })]);
    expect(scratchRequests(script)).toHaveLength(5);
    expect(failure).toMatchObject({
      reason: '5 calls of "finish" did not fit the schema.',
      assistantText: '',
      issues: [{ path: ['risk'], message: expect.stringContaining('Invalid type') }],
    });
  });
});
