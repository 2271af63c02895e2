import { afterEach, describe, expect, it } from 'vitest';
import { init } from '../app/init.ts';
import { startTest, type TestRuntime } from '../app/runtime.test.support.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { defineTool } from '../engine/tools/define-tool.ts';
import type { ScriptStep } from '../testing/script-model.ts';

import {
  failureOf,
  keep,
  play,
  purposes,
  recorded,
  Talker,
  talk,
  textOf,
} from './compaction.test.support.ts';

let flue: TestRuntime;
afterEach(() => flue?.stop());

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
