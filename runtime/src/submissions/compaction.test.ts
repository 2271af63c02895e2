import { afterEach, describe, expect, it } from 'vitest';
import { currentRuntime } from '../app/current.ts';
import { init } from '../app/init.ts';
import { startTest, type TestRuntime } from '../app/runtime.test.support.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { defineTool } from '../engine/tools/define-tool.ts';

import {
  idle,
  keep,
  play,
  purposes,
  recorded,
  Talker,
  talk,
  textOf,
  usage,
} from './compaction.test.support.ts';

let flue: TestRuntime;
afterEach(() => flue?.stop());

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
