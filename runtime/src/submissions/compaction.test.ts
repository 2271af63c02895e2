import { afterEach, describe, expect, it } from 'vitest';
import { currentRuntime } from '../app/current.ts';
import { init } from '../app/init.ts';
import { startTest, type TestRuntime, until } from '../app/runtime.test.support.ts';
import type { ConversationRecord, RecordOf, RecordType } from '../conversation/records/index.ts';
import { useDelivery } from '../engine/hooks/use-delivery.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { defineTool } from '../engine/tools/define-tool.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { type ScriptModel, type ScriptStep, scriptModel } from '../testing/script-model.ts';

let flue: TestRuntime;
afterEach(() => flue?.stop());

/** A window of 10,000 tokens, of which 1,000 are reserved. */
const SMALL = { contextWindow: 10_000, maxTokens: 1_000 };
const keep = { reserveTokens: 1_000, keepRecentTokens: 0 };

function Talker() {
  useModel('offline/script', { compaction: keep });
  return 'You talk.';
}

const usage = (totalTokens: number) => ({ input: totalTokens, totalTokens });

type Answer = ScriptStep | ((place: number) => ScriptStep);

/** Answers requests of the agent in order, and requests for a summary by themselves. */
function play(o: {
  readonly says: readonly Answer[];
  readonly summary?: Answer;
  readonly model?: object;
}): ScriptModel {
  let said = 0;
  let summaries = 0;
  const of = (answer: Answer, place: number) => (typeof answer === 'function' ? answer(place) : answer);
  return scriptModel({
    model: { ...SMALL, ...o.model },
    steps({ options }) {
      if (options.purpose === 'agent') return of(o.says[said] ?? { text: 'Enough.' }, said++);
      return of(o.summary ?? ((n) => ({ text: `Summary ${n}.`, usage: usage(70) })), summaries++);
    },
  });
}

const talk = (text: string, id = 'a') => init(Talker, { id }).dispatch(text);
const purposes = ({ requests }: ScriptModel) => requests.map(({ options }) => options.purpose);
const textOf = (message: { readonly content: readonly object[] } | undefined) =>
  (message?.content ?? []).map((part) => ('text' in part ? String(part.text) : '')).join('');
const ofType = <T extends RecordType>(records: ConversationRecord[], type: T) =>
  records.filter((record): record is RecordOf<T> => record.type === type);
const recorded = async <T extends RecordType>(type: T, agent = 'Talker') =>
  ofType(await flue.records(agent, 'a'), type);
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: { cause: { type: string; meta: Record<string, unknown> } }) => error.cause,
  );
/** Resolves once every admission is settled. */
const idle = () =>
  until(async () => {
    const records = await flue.records('Talker', 'a');
    const admitted = records.filter((one) => 'acceptedAt' in one && one.acceptedAt !== undefined);
    return ofType(records, 'submission_settled').length === admitted.length;
  });

describe('a conversation that outgrows the threshold', () => {
  it('is compacted before the next model call, in one commit with the new baseline (CMP-03, CMP-04, CMP-09, CMP-10, NARR-25, PC-025)', async () => {
    const script = play({ says: [{ text: 'One.', usage: usage(9_001) }, { text: 'Two.' }] });
    flue = await startTest({ agents: [Talker] });
    await talk('first');
    expect(purposes(script)).toEqual(['agent']);
    await talk('second');
    expect(purposes(script)).toEqual(['agent', 'compaction', 'agent']);

    const { batches } = await currentRuntime()!.store.read('agents/Talker/a', {});
    const batch = batches.find(({ records }) => records.some((body) => body.includes('"compaction"')))!;
    const [compaction, resources, ...rest] = batch.records.map((body) => JSON.parse(body));
    expect(rest).toEqual([]);
    expect(resources).toMatchObject({ type: 'resources_recorded', prompt: expect.any(String) });
    const [, second] = await recorded('user_message');
    expect(compaction).toMatchObject({
      type: 'compaction',
      submissionId: second!.submissionId,
      firstKeptEntryId: `msg_${second!.submissionId}`,
      tokensBefore: 9_001 + Math.ceil('second'.length / 3.5),
      files: { read: [], modified: [] },
      reason: 'threshold',
      usage: usage(70),
    });
    expect(compaction.summary).toContain('Summary 0.');

    const messages = script.requests[2]!.messages;
    expect(messages.map(({ role }) => role)).toEqual(['user', 'user']);
    expect(textOf(messages[0])).toBe(compaction.summary);
    expect(textOf(messages[1])).toBe('second');
  });

  it('stays whole at the threshold, and until a model says more (CMP-03, CMP-05)', async () => {
    const script = play({ says: [{ text: 'One.', usage: usage(9_000 - 2) }, { text: 'Two.' }] });
    flue = await startTest({ agents: [Talker] });
    await talk('first');
    await talk('second');
    expect(purposes(script)).toEqual(['agent', 'agent']);
  });

  it('counts as the model has not counted yet: texts, images and results (CMP-05)', async () => {
    const script = play({ says: [{ text: 'One.', usage: usage(7_600) }, { text: 'Two.' }] });
    flue = await startTest({ agents: [Talker] });
    await talk('first');
    const data = Buffer.from('png').toString('base64');
    const image = { type: 'image' as const, mimeType: 'image/png', data };
    // 4,800 characters at 3.5 each are 1,372 tokens, and two of them more than the 1,400 that are left.
    await init(Talker, { id: 'a' }).dispatch({
      message: { kind: 'user', body: '', attachments: [image, image] },
    });
    expect(purposes(script)).toEqual(['agent', 'compaction', 'agent']);
  });

  it('is compacted between the calls of one response, with a call of its own for the early part (CMP-04, CMP-06, CMP-07)', async () => {
    const look = defineTool({ name: 'look', description: 'Looks.', run: () => 'x'.repeat(3_500) });
    function Looker() {
      useModel('offline/script', { compaction: keep });
      useTool(look);
    }
    const script = play({
      says: [
        { text: 'Hello.' },
        { toolCalls: [{ name: 'look', arguments: {} }] },
        { toolCalls: [{ name: 'look', arguments: {} }], usage: usage(8_500) },
        { text: 'Done.' },
      ],
    });
    flue = await startTest({ agents: [Looker] });
    await init(Looker, { id: 'a' }).dispatch('first');
    const reply = await init(Looker, { id: 'a' }).dispatch('look twice');
    expect(purposes(script)).toEqual(['agent', 'agent', 'agent', 'compaction', 'compaction_prefix', 'agent']);
    const [history, prefix, last] = script.requests.slice(3);
    // 0.8 and 0.5 of the reserve
    expect([history!.options.maxTokens, prefix!.options.maxTokens]).toEqual([800, 500]);
    expect(textOf(history!.messages[0])).toContain('[user]\nfirst');
    expect(textOf(history!.messages[0])).not.toContain('look twice');
    expect(textOf(prefix!.messages[0])).toContain('[user]\nlook twice');
    expect(textOf(prefix!.messages[0])).toContain('[assistant calls look]\n{}');
    expect(textOf(prefix!.messages[0])).toContain('[1502 characters omitted]');
    expect(last!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(textOf(last!.messages[0])).toMatch(/Summary 0\..*Summary 1\./s);
    // turns 0 + 8,500 + 0, and two summaries of 70 (USAGE-02)
    expect(reply.usage!.totalTokens).toBe(8_640);
  });

  it('keeps every record for readers, who see the compaction as one advisory (CMP-09, HIST-13, STR-03, STR-13)', async () => {
    play({ says: [{ text: 'One.', usage: usage(9_500) }] });
    flue = await startTest({ agents: [Talker] });
    await talk('first');
    const stored = async () =>
      (await currentRuntime()!.store.read('agents/Talker/a', { class: 'durable' })).batches;
    const before = await stored();
    const chunks: { type: string; message?: { purpose: string; signal?: { type: string } } }[] = [];
    await init(Talker, { id: 'a' }).dispatch('second', { onEvent: (chunk) => chunks.push(chunk as never) });
    expect(await recorded('compaction')).toHaveLength(1);
    expect((await stored()).slice(0, before.length)).toEqual(before);
    expect((await recorded('user_message')).map(({ body }) => body)).toEqual(['first', 'second']);
    const appended = chunks.filter(({ type }) => type === 'message-appended').map(({ message }) => message);
    expect(appended.filter((one) => one?.signal?.type === 'compaction')).toMatchObject([
      { purpose: 'advisory' },
    ]);
  });

  it('has its former summary brought up to date by the next one (CMP-08)', async () => {
    const big = { usage: usage(9_500) };
    const script = play({ says: [{ text: 'One.', ...big }, { text: 'Two.', ...big }, { text: 'Three.' }] });
    flue = await startTest({ agents: [Talker] });
    for (const text of ['first', 'second', 'third']) await talk(text);
    expect(purposes(script)).toEqual(['agent', 'compaction', 'agent', 'compaction', 'agent']);
    const prompt = textOf(script.requests[3]!.messages[0]);
    expect(prompt).toContain('<summary-so-far>\nSummary 0.\n</summary-so-far>');
    expect(prompt).toContain('[user]\nsecond');
    expect(prompt).not.toContain('[user]\nfirst');
    for (const part of [
      'Goal',
      'Constraints',
      'Done',
      'In progress',
      'Blocked',
      'Decisions',
      'Next steps',
      'Critical',
    ])
      expect(prompt).toContain(`# ${part}`);
    expect(textOf(script.requests[4]!.messages[0])).toContain('Summary 1.');
  });

  it('does not count what was reported before its compaction against it again (CMP-05)', async () => {
    const script = play({
      says: [{ text: 'One.', usage: usage(9_500) }, { text: 'Two.' }, { text: 'Three.' }],
    });
    flue = await startTest({ agents: [Lazy] });
    function Lazy() {
      useModel('offline/script', { compaction: { reserveTokens: 1_000, keepRecentTokens: 3 } });
    }
    const lazy = init(Lazy, { id: 'a' });
    await lazy.dispatch('first');
    await lazy.dispatch('x');
    await lazy.dispatch('third');
    expect(purposes(script)).toEqual(['agent', 'compaction_prefix', 'agent', 'agent']);
    expect(script.requests[2]!.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });

  it('is left alone where the agent says `false` or the window is unknown (CMP-01, CMP-03, PC-026)', async () => {
    function Never() {
      useModel('offline/script', { compaction: false });
    }
    const big = { text: 'Big.', usage: usage(9_999) };
    const script = play({ says: [big, big, big, big] });
    flue = await startTest({ agents: [Never, Talker] });
    await init(Never, { id: 'a' }).dispatch('first');
    await init(Never, { id: 'a' }).dispatch('second');
    expect(purposes(script)).toEqual(['agent', 'agent']);
    const unknown = play({ says: [big, big, big], model: { contextWindow: 0 } });
    for (const text of ['one', 'two', 'three']) await talk(text);
    expect(purposes(unknown)).toEqual(['agent', 'agent', 'agent']);
  });

  it('is summarized by the model that the agent names, with high effort where it reasons (CMP-07, MODEL-06)', async () => {
    function Other() {
      useModel('offline/script', { thinkingLevel: 'low', compaction: { ...keep, model: 'offline/demo' } });
    }
    const script = play({
      says: [
        { text: 'One.', usage: usage(9_500) },
        { text: 'Two.', usage: usage(9_500) },
      ],
      model: { reasoning: true },
    });
    flue = await startTest({ agents: [Other, Talker] });
    await init(Other, { id: 'a' }).dispatch('first');
    await init(Other, { id: 'a' }).dispatch('second');
    expect(purposes(script)).toEqual(['agent', 'agent']);
    expect((await recorded('compaction', 'Other'))[0]!.summary).toContain('first\nTools called: none');
    await talk('first');
    const again = play({ says: [], model: { reasoning: true } });
    await init(Talker, { id: 'a' }).compact();
    await idle();
    expect(again.requests.map(({ options }) => [options.purpose, options.thinkingLevel])).toEqual([
      ['compaction', 'high'],
    ]);
  });
});

describe('a compaction that fails', () => {
  it('is logged and changes nothing, and the turn proceeds (CMP-11)', async () => {
    const script = play({
      says: [{ text: 'One.', usage: usage(9_500) }, { text: 'Two.' }],
      summary: { error: { message: 'no such thing', transient: false } },
    });
    flue = await startTest({ agents: [Talker] });
    await talk('first');
    expect((await talk('second')).text).toBe('Two.');
    expect(purposes(script)).toEqual(['agent', 'compaction', 'agent']);
    expect(script.requests[2]!.messages).toHaveLength(3);
    expect(await recorded('compaction')).toEqual([]);
    expect(flue.log.filter((line) => line.includes('[flue:compaction]'))).toHaveLength(1);
  });

  it('is not tried again until the context has grown by 5 % of the window (CMP-11)', async () => {
    const sizes = [9_100, 9_200, 9_599, 9_601];
    const script = play({
      says: sizes.map((size) => ({ text: 'ok', usage: usage(size) })),
      summary: { error: { message: 'no', transient: false } },
    });
    flue = await startTest({ agents: [Talker] });
    for (const text of ['1', '2', '3', '4', '5']) await talk(text);
    // Used at each boundary: 0, 9,101, 9,201, 9,600 (below 9,101 + 500 = 9,601), 9,602.
    expect(purposes(script)).toEqual([
      'agent',
      'compaction',
      'agent',
      'agent',
      'agent',
      'compaction',
      'agent',
    ]);
  });

  it('is tried again while the failure is transient, like any model call (CMP-13)', async () => {
    const script = play({
      says: [{ text: 'One.', usage: usage(9_500) }, { text: 'Two.' }],
      summary: (n) => (n < 2 ? { error: {} } : { text: 'At last.' }),
    });
    flue = await startTest({ agents: [Talker], model: { retryBaseMs: 1_000 } });
    await talk('first');
    const began = flue.clock.now();
    await flue.during(talk('second'));
    expect(purposes(script)).toEqual(['agent', 'compaction', 'compaction', 'compaction', 'agent']);
    // 1 s and 2 s, each times 0.75 to 1
    expect(flue.clock.now() - began).toBeGreaterThanOrEqual(2_250);
    expect((await recorded('compaction'))[0]!.summary).toContain('At last.');
  });

  it('or takes until the deadline is the last thing that starts (BUD-06, TURN-16)', async () => {
    function Hasty() {
      useModel('offline/script', { compaction: keep });
    }
    Hasty.durability = { timeoutMs: 5_000 };
    const script = play({
      says: [{ text: 'One.', usage: usage(9_500) }],
      summary: { text: 'Late.', delayMs: 6_000 },
    });
    flue = await startTest({ agents: [Hasty] });
    await init(Hasty, { id: 'a' }).dispatch('first');
    const cause = await flue.during(failureOf(init(Hasty, { id: 'a' }).dispatch('second')));
    expect(cause).toMatchObject({ type: 'submission_timeout' });
    expect(purposes(script)).toEqual(['agent', 'compaction']);
    expect(await recorded('compaction', 'Hasty')).toHaveLength(1);
  });

  it('by silence is cut off and tried again (CMP-13, RETRY-07)', async () => {
    const script = play({
      says: [{ text: 'One.', usage: usage(9_500) }, { text: 'Two.' }],
      summary: (n) => (n === 0 ? { text: 'Never.', delayMs: 1_000_000 } : { text: 'At last.' }),
    });
    flue = await startTest({ agents: [Talker], model: { idleTimeoutMs: 5_000, retryBaseMs: 10 } });
    await talk('first');
    await flue.during(talk('second'), 1_000);
    expect(purposes(script)).toEqual(['agent', 'compaction', 'compaction', 'agent']);
  });
});

describe('a summary that does not fit the window either', () => {
  it('is written in several calls that each bring it up to date (CMP-13)', async () => {
    const long = 'y'.repeat(14_000);
    const script = play({
      says: [{ text: long }, { text: `${long}${long}`, usage: usage(9_999) }, { text: 'Three.' }],
    });
    flue = await startTest({ agents: [Talker] });
    for (const text of ['1', '2', '3']) await talk(text);
    const summaries = script.requests.filter(({ options }) => options.purpose === 'compaction');
    expect(summaries.length).toBeGreaterThan(1);
    for (const { messages } of summaries) expect(textOf(messages[0]).length).toBeLessThan(9_200 * 3.5);
    expect(textOf(summaries[1]!.messages[0])).toContain('<summary-so-far>\nSummary 0.\n');
  });
});

describe('an overflow', () => {
  const refused: ScriptStep = {
    error: { message: 'prompt is too long: 11000 tokens > 10000 maximum', transient: false },
  };
  function Never() {
    useModel('offline/script', { compaction: false });
  }
  const never = () => init(Never, { id: 'a' });

  it('is compacted and the same turn runs again, even where the threshold is off (OVER-02, MODEL-05, REC-08)', async () => {
    const script = play({ says: [{ text: 'One.' }, refused, { text: 'Two.' }] });
    flue = await startTest({ agents: [Never] });
    await never().dispatch('first');
    const began = flue.clock.now();
    // Most of the conversation, so all before it goes.
    const second = 'second '.repeat(10);
    expect((await never().dispatch(second)).text).toBe('Two.');
    expect(purposes(script)).toEqual(['agent', 'agent', 'compaction', 'agent']);
    expect(flue.clock.now()).toBe(began);
    expect(await recorded('compaction', 'Never')).toMatchObject([{ reason: 'overflow' }]);
    expect(script.requests[3]!.messages.map(textOf)).toEqual([expect.stringContaining('Summary 0.'), second]);
  });

  it('settles as one when nothing can be compacted (OVER-05, REC-10)', async () => {
    const script = play({ says: [refused] });
    flue = await startTest({ agents: [Talker] });
    const cause = await failureOf(talk('too long'));
    expect(cause).toMatchObject({
      type: 'operation_failed',
      meta: { operation: 'turn', category: 'overflow', reason: 'context_overflow', retryable: false },
    });
    expect(purposes(script)).toEqual(['agent']);
    expect((await talk('shorter')).text).toBe('Enough.');
  });

  it('is avoided by shortening the largest results of a tail that is too large alone; the record keeps them (OVER-04)', async () => {
    const look = defineTool({ name: 'look', description: 'Looks.', run: () => `<${'x'.repeat(40_000)}>` });
    function Looker() {
      useModel('offline/script', { compaction: keep });
      useTool(look);
    }
    const script = play({ says: [{ toolCalls: [{ name: 'look', arguments: {} }] }, { text: 'Done.' }] });
    flue = await startTest({ agents: [Looker] });
    expect((await init(Looker, { id: 'a' }).dispatch('look')).text).toBe('Done.');
    expect(purposes(script)).toEqual(['agent', 'compaction_prefix', 'agent']);
    const shown = script.requests[2]!.messages.find(({ role }) => role === 'tool');
    expect(textOf(shown)).toMatch(/^"<x{998}\n\[38004 characters omitted\]\nx{998}>"$/);
    expect((await recorded('call_settled', 'Looker'))[0]!.output).toHaveLength(40_002);
  });

  it('is answered by shortening results when there is nothing to compact (OVER-02, OVER-04)', async () => {
    const look = defineTool({ name: 'look', description: 'Looks.', run: () => 'x'.repeat(20_000) });
    function Looker() {
      useModel('offline/script', { compaction: false });
      useTool(look);
    }
    const failing = { error: { message: 'no', transient: false } };
    const script = play({
      says: [{ toolCalls: [{ name: 'look', arguments: {} }] }, refused, { text: 'Done.' }],
      summary: failing,
    });
    flue = await startTest({ agents: [Looker] });
    expect((await init(Looker, { id: 'a' }).dispatch('look')).text).toBe('Done.');
    const results = script.requests
      .filter(({ options }) => options.purpose === 'agent')
      .map(({ messages }) => textOf(messages.find(({ role }) => role === 'tool')).length);
    expect(results).toEqual([0, 20_002, 2_000 + '\n[18002 characters omitted]\n'.length]);
  });

  it('is recovered from twice in a row and no more (OVER-03, OVER-05)', async () => {
    const look = defineTool({ name: 'look', description: 'Looks.', run: () => 'x'.repeat(40_000) });
    function Looker() {
      useModel('offline/script');
      useTool(look);
    }
    const calls = [1, 2, 3].map(() => ({ name: 'look', arguments: {} }));
    const script = play({
      says: [{ toolCalls: calls }, refused, refused, refused, { text: 'Never.' }],
      model: { contextWindow: 0 },
    });
    flue = await startTest({ agents: [Looker] });
    const cause = await failureOf(init(Looker, { id: 'a' }).dispatch('look'));
    expect(cause).toMatchObject({ meta: { category: 'overflow', attempts: 3 } });
    expect(purposes(script).filter((purpose) => purpose === 'agent')).toHaveLength(4);
  });

  it('survives a failing summary when a smaller request can be made, and settles when none can (CMP-11, OVER-05)', async () => {
    play({ says: [{ text: 'One.' }, refused], summary: { error: { message: 'no', transient: false } } });
    flue = await startTest({ agents: [Talker] });
    await talk('first');
    expect(await failureOf(talk('second'))).toMatchObject({ meta: { category: 'overflow' } });
    expect(await recorded('compaction')).toEqual([]);
  });
});

describe('handle.compact()', () => {
  it('compacts an idle conversation at once, however small it is (HND-21, RCD-45)', async () => {
    const script = play({ says: [{ text: 'One.' }, { text: 'Two.' }] });
    flue = await startTest({ agents: [Talker] });
    await talk('first');
    const instructions = 'Mind the order numbers.';
    expect(await init(Talker, { id: 'a' }).compact({ instructions })).toEqual({ requested: true });
    await idle();
    expect(textOf(script.requests[1]!.messages[0])).toContain(`you were asked: ${instructions}`);
    const records = await flue.records('Talker', 'a');
    const request = ofType(records, 'compaction_requested')[0]!;
    expect(request.submissionId).toMatch(/^cmp_/);
    expect(records.slice(-4).map(({ type }) => type)).toEqual([
      'submission_moved',
      'compaction',
      'resources_recorded',
      'submission_settled',
    ]);
    expect(records.at(-1)).toMatchObject({
      submissionId: request.submissionId,
      outcome: 'completed',
      usage: usage(70),
    });
    expect(records.at(-3)).toMatchObject({ reason: 'manual', firstKeptEntryId: null });
    expect((await talk('second')).text).toBe('Two.');
    expect(script.requests[2]!.messages.map(textOf)).toEqual([
      expect.stringContaining('Summary 0.'),
      'second',
    ]);
  });

  it('settles without a compaction when there is nothing to compact (HND-21)', async () => {
    const script = play({ says: [{ text: 'One.' }] });
    flue = await startTest({ agents: [Talker] });
    await talk('first');
    const summarized = () => purposes(script).filter((purpose) => purpose !== 'agent').length;
    await init(Talker, { id: 'a' }).compact();
    await idle();
    expect(summarized()).toBe(1);
    await init(Talker, { id: 'a' }).compact();
    await idle();
    expect(summarized()).toBe(1);
    expect((await recorded('submission_settled')).map(({ outcome }) => outcome)).toEqual([
      'completed',
      'completed',
      'completed',
    ]);
  });

  it('waits for the next turn boundary of a busy one, before joins, and one compaction answers all requests (HND-21, RCD-45)', async () => {
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const wait = defineTool({ name: 'wait', description: 'Waits.', run: () => opened });
    function Waiter() {
      useModel('offline/script', { compaction: keep });
      useTool(wait);
    }
    const script = play({
      says: [{ text: 'Hello.' }, { toolCalls: [{ name: 'wait', arguments: {} }] }, { text: 'Done.' }],
    });
    flue = await startTest({ agents: [Waiter] });
    const waiter = init(Waiter, { id: 'a' });
    await waiter.dispatch('first');
    const busy = waiter.dispatch('wait');
    await until(() => script.requests.length === 2);
    await waiter.compact({ instructions: 'Older.' });
    await waiter.compact({ instructions: 'Newer.' });
    const joining = waiter.dispatch('and this');
    await until(async () => (await recorded('user_message', 'Waiter')).length === 3);
    open();
    expect([(await busy).text, (await joining).text]).toEqual(['Done.', 'Done.']);
    expect(purposes(script)).toEqual(['agent', 'agent', 'compaction', 'compaction_prefix', 'agent']);
    expect(textOf(script.requests[2]!.messages[0])).toContain('you were asked: Older.');
    const { batches } = await currentRuntime()!.store.read('agents/Waiter/a', { limit: 1000 });
    const types = batches.map(({ records }) =>
      records.map((body) => (JSON.parse(body) as ConversationRecord).type),
    );
    const at = types.findIndex((batch) => batch.includes('compaction'));
    expect(types.slice(at, at + 2)).toEqual([
      ['compaction', 'resources_recorded', 'submission_settled', 'submission_settled'],
      ['submission_moved', 'seam_closed'],
    ]);
  });

  it('tells its failure in its settlement and leaves the conversation usable and unchanged (HND-21)', async () => {
    const script = play({
      says: [{ text: 'One.' }, { text: 'Two.' }],
      summary: { error: { message: 'no such model', transient: false } },
    });
    flue = await startTest({ agents: [Talker] });
    await talk('first');
    await init(Talker, { id: 'a' }).compact();
    await idle();
    const [, settled] = await recorded('submission_settled');
    expect(settled).toMatchObject({
      outcome: 'failed',
      error: { type: 'operation_failed', meta: { operation: 'compaction', reason: 'no such model' } },
    });
    expect((await talk('second')).text).toBe('Two.');
    expect(script.requests[2]!.messages).toHaveLength(3);
  });

  it('is stopped by an abort of the instance (RCD-45)', async () => {
    play({ says: [{ text: 'One.' }], summary: { text: 'Late.', delayMs: 100_000 } });
    flue = await startTest({ agents: [Talker] });
    await talk('first');
    await init(Talker, { id: 'a' }).compact();
    await until(async () => (await recorded('submission_moved')).length === 2);
    await init(Talker, { id: 'a' }).abort();
    await idle();
    expect((await recorded('submission_settled')).map(({ outcome }) => outcome)).toEqual([
      'completed',
      'aborted',
    ]);
    expect(await recorded('compaction')).toEqual([]);
  });

  it('refuses an absent instance and instructions that are too long (HND-21)', async () => {
    play({ says: [] });
    flue = await startTest({ agents: [Talker] });
    await expect(init(Talker, { id: 'absent' }).compact()).rejects.toMatchObject({
      type: 'agent_instance_not_found',
    });
    await talk('first');
    const compact = (instructions: string) => init(Talker, { id: 'a' }).compact({ instructions });
    await expect(compact('x'.repeat(4_001))).rejects.toMatchObject({ type: 'invalid_request' });
    await expect(compact(' ')).rejects.toMatchObject({ type: 'invalid_request' });
    await expect(compact('x'.repeat(4_000))).resolves.toEqual({ requested: true });
  });
});

it('an image of the delivery in progress is still there for the render after its message was summarized (AGENT-07, CMP-06)', async () => {
  const seen: number[] = [];
  const look = defineTool({ name: 'look', description: 'Looks.', run: () => 'seen' });
  function Viewer() {
    useModel('offline/script', { compaction: keep });
    useTool(look);
    const delivery = useDelivery();
    if (delivery?.kind === 'user') seen.push(delivery.attachments?.[0]?.data.length ?? 0);
  }
  const call = { toolCalls: [{ name: 'look', arguments: {} }] };
  play({ says: [call, { ...call, usage: usage(9_500) }, call, { text: 'Done.' }] });
  flue = await startTest({ agents: [Viewer] });
  const image = {
    type: 'image' as const,
    mimeType: 'image/png',
    data: Buffer.from('png').toString('base64'),
  };
  await init(Viewer, { id: 'a' }).dispatch({ message: { kind: 'user', body: 'See.', attachments: [image] } });
  expect(await recorded('compaction', 'Viewer')).toHaveLength(1);
  expect(new Set(seen)).toEqual(new Set([image.data.length]));
});

it('the prompt of one baseline is the same bytes from turn to turn, and messages are only added (TURN-15, CMP-10)', async () => {
  const look = defineTool({ name: 'look', description: 'Looks.', run: () => 'seen' });
  function Looker() {
    useModel('offline/script', { compaction: keep });
    useTool(look);
    return 'You look.';
  }
  const call = { toolCalls: [{ name: 'look', arguments: {} }] };
  const script = play({ says: [call, call, { text: 'Done.' }, call, { text: 'Done.' }] });
  const clock = fakeClock(Date.parse('2026-07-17T23:59:59.000Z'));
  flue = await startTest({ agents: [Looker], clock });
  await init(Looker, { id: 'a' }).dispatch('one');
  await clock.advance(2_000);
  await init(Looker, { id: 'a' }).dispatch('two');
  const bytes = script.requests.map(({ systemPrompt, tools }) => JSON.stringify([systemPrompt, tools]));
  expect(new Set(bytes).size).toBe(1);
  for (const [place, { messages }] of script.requests.slice(1).entries()) {
    const before = JSON.stringify(script.requests[place]!.messages).slice(0, -1);
    expect(JSON.stringify(messages).startsWith(`${before},`)).toBe(true);
  }
  await init(Looker, { id: 'a' }).compact();
  await init(Looker, { id: 'a' }).dispatch('three');
  // Only a new baseline names the new date.
  expect(script.requests[0]!.systemPrompt).toContain('2026-07-17');
  expect(script.requests.at(-1)!.systemPrompt).toContain('2026-07-18');
});
