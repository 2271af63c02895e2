import { describe, expect, it } from 'vitest';
import type { ModelBlock, ModelEnd, ModelEvent } from '../ports/model-gateway.ts';
import { type FakeClock, fakeClock } from '../testing/fake-clock.ts';
import { type Draft, streamMessage } from './stream-message.ts';

const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
const end = (...content: ModelBlock[]): ModelEnd => ({
  type: 'end',
  model: { provider: 'offline', id: 'm', api: 'offline' },
  content,
  stop: 'stop',
  usage,
});
const text = (block: number, delta: string): ModelEvent => ({ type: 'text', block, delta });
const thinking = (block: number, delta: string): ModelEvent => ({ type: 'thinking', block, delta });
const call = (block: number, delta: string): ModelEvent => ({
  type: 'call',
  block,
  id: 'c1',
  tool: 'look',
  delta,
});
const callBlock = (args: string): ModelBlock => ({ type: 'call', id: 'c1', tool: 'look', args });

/** Plays events; a number lets that many milliseconds pass. */
async function play(steps: readonly (ModelEvent | number)[], o: { valid?: boolean } = {}) {
  const clock = fakeClock();
  const drafts: (Draft & { time: number })[][] = [];
  const message = await streamMessage(events(clock, steps), {
    clock,
    draft: (some) => drafts.push(some.map((one) => ({ ...one, time: clock.now() }))),
    valid: () => o.valid ?? true,
  });
  return { message, drafts, clock };
}

async function* events(
  clock: FakeClock,
  steps: readonly (ModelEvent | number)[],
): AsyncGenerator<ModelEvent> {
  for (const step of steps) {
    if (typeof step === 'number') await clock.advance(step);
    else yield step;
  }
}

describe('drafting a message', () => {
  it('hands text on at most 50 ms after its first piece, joined (STR-08)', async () => {
    const { drafts } = await play([text(0, 'He'), 30, text(0, 'llo'), 20, text(0, ' you'), 50, end()]);
    expect(drafts).toEqual([
      [{ part: 0, at: 0, kind: 'text', delta: 'Hello', time: 50 }],
      [{ part: 0, at: 5, kind: 'text', delta: ' you', time: 100 }],
    ]);
  });

  it('does not wait at the end of a block (STR-08)', async () => {
    const { drafts } = await play([thinking(0, 'Hm.'), 10, text(1, 'Yes'), 0, 20, end()]);
    expect(drafts[0]).toEqual([
      { part: 0, at: 0, kind: 'thinking', delta: 'Hm.', time: 10 },
      { part: 1, at: 0, kind: 'text', delta: 'Yes', time: 10 },
    ]);
  });

  it('drafts nothing of what the completed message holds anyway, and leaves no timer (STR-08)', async () => {
    const { drafts, clock, message } = await play([text(0, 'Hi'), end({ type: 'text', text: 'Hi' })]);
    expect(drafts).toEqual([]);
    expect(clock.pending).toBe(0);
    expect(message.content).toEqual([{ type: 'text', text: 'Hi', part: 0 }]);
  });

  it('stops at the first tool call, and what was shown before it goes out (RCD-10)', async () => {
    const { drafts, message } = await play([
      text(0, 'Let me look.'),
      call(1, '{"a"'),
      0,
      call(1, ':1}'),
      text(2, 'after'),
      100,
      end({ type: 'text', text: 'Let me look.' }, callBlock('{"a":1}'), { type: 'text', text: 'after' }),
    ]);
    expect(drafts.flat().map((draft) => draft.delta)).toEqual(['Let me look.']);
    expect(message.content.map((part) => ('part' in part ? part.part : undefined))).toEqual([0, 1, 2]);
  });

  it('lets the stream fail without leaving a timer that drafts into a message that is over', async () => {
    const clock = fakeClock();
    const drafts: unknown[] = [];
    async function* broken(): AsyncGenerator<ModelEvent> {
      yield text(0, 'Hi');
      throw new Error('broken');
    }
    const o = { clock, draft: (some: unknown) => drafts.push(some), valid: () => true };
    await expect(streamMessage(broken(), o)).rejects.toThrow('broken');
    await clock.advance(100);
    expect(drafts).toEqual([]);
  });
});

describe('the content of a message', () => {
  it('keeps what was shown where the final text contradicts it, and takes what continues it (RCD-11)', async () => {
    const shown = [text(0, 'Hello'), 50];
    const contradicted = await play([...shown, end({ type: 'text', text: 'Goodbye' })]);
    expect(contradicted.message.content).toMatchObject([{ text: 'Hello' }]);
    const emptied = await play([...shown, end({ type: 'text', text: '' })]);
    expect(emptied.message.content).toMatchObject([{ text: 'Hello', part: 0 }]);
    const continued = await play([...shown, end({ type: 'text', text: 'Hello you' })]);
    expect(continued.message.content).toMatchObject([{ text: 'Hello you' }]);
  });

  it('counts the parts of a message in the order in which they were first shown (RCD-15)', async () => {
    const { message } = await play([
      text(1, 'b'),
      thinking(0, 'a'),
      end({ type: 'thinking', text: 'a' }, { type: 'text', text: 'b' }),
    ]);
    expect(message.content).toMatchObject([{ part: 1 }, { part: 0 }]);
  });

  it('gives a block without text no place, and a block that never streamed the next one (RCD-15)', async () => {
    const { message } = await play([
      text(1, ''),
      end({ type: 'thinking', text: '', sig: 'secret' }, { type: 'text', text: 'Whole.' }, callBlock('{}')),
    ]);
    expect(message.content).toEqual([
      { type: 'thinking', text: '', sig: 'secret' },
      { type: 'text', text: 'Whole.', part: 0 },
      { type: 'call', id: 'c1', tool: 'look', args: '{}', part: 1, valid: true },
    ]);
  });

  it('says of each call whether its arguments fit (RCD-16, HIST-10)', async () => {
    for (const valid of [true, false]) {
      const { message } = await play([end(callBlock('{}'))], { valid });
      expect(message.content).toMatchObject([{ valid }]);
    }
  });
});
