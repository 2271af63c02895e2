import { afterEach, describe, expect, it } from 'vitest';
import { currentRuntime } from '../app/current.ts';
import { init } from '../app/init.ts';
import { startTest, type TestRuntime, until } from '../app/runtime.test.support.ts';
import type { ConversationRecord } from '../conversation/records/index.ts';
import { useDelivery } from '../engine/hooks/use-delivery.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { defineTool } from '../engine/tools/define-tool.ts';
import { fakeClock } from '../testing/fake-clock.ts';

import {
  idle,
  keep,
  ofType,
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
