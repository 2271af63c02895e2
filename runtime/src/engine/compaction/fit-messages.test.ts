import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../../ports/model-gateway.ts';
import { shortenResults } from './fit-messages.ts';
import { shorten } from './shorten.ts';

const user: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'u'.repeat(9_000) }] };
const result = (call: string, text: string): ModelMessage => ({
  role: 'tool',
  call,
  tool: 'look',
  isError: false,
  content: [{ type: 'text', text }],
});
const lengths = (messages: readonly ModelMessage[]) =>
  messages.map(({ content }) =>
    content.reduce((sum, part) => sum + ('text' in part ? part.text.length : 0), 0),
  );

describe('shortening tool results', () => {
  const messages = [
    user,
    result('c1', 'a'.repeat(7_000)),
    result('c2', 'b'.repeat(21_000)),
    result('c3', 'c'.repeat(1_500)),
  ];

  it('takes the largest first, until enough is saved, and touches nothing else (OVER-04)', () => {
    const marked = 2_000 + '\n[19000 characters omitted]\n'.length;
    const one = shortenResults(messages, 100);
    expect(lengths(one.messages)).toEqual([9_000, 7_000, marked, 1_500]);
    expect(one.saved).toBeGreaterThan(5_400);
    const all = shortenResults(messages, 1_000_000);
    expect(lengths(all.messages)).toEqual([9_000, marked - 1, marked, 1_500]);
  });

  it('keeps the first and the last 1,000 characters and says how many are missing (OVER-04)', () => {
    const text = `${'s'.repeat(1_000)}${'m'.repeat(500)}${'e'.repeat(1_000)}`;
    expect(shorten(text, 1_000)).toBe(`${'s'.repeat(1_000)}\n[500 characters omitted]\n${'e'.repeat(1_000)}`);
  });

  it('leaves no half of a character at a cut', () => {
    const text = '😀'.repeat(20);
    expect(shorten(text, 3)).toBe('😀\n[34 characters omitted]\n😀');
  });
});
