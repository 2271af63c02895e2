import { describe, expect, it } from 'vitest';
import { foldReply } from './reply.ts';
import { batch, killedExample, workedExample } from './worked-example.fixture.ts';

const recordsOf = (batches: readonly { records: readonly unknown[] }[]) =>
  batches.flatMap(({ records }) => records) as Parameters<typeof foldReply>[1];

const A = { submissionId: 'sub_A', turn: 1 };
const model = { provider: 'offline', id: 'm', api: 'offline' };
const message = (stop: string, ...texts: string[]) =>
  ({
    type: 'assistant_message',
    ...A,
    model,
    stop,
    content: texts.map((text, part) => ({ type: 'text', text, part })),
  }) as const;
const continued = {
  type: 'signal',
  submissionId: 'sub_A',
  signalType: 'stream_continued',
  body: '',
} as const;
const reply = (...records: Parameters<typeof batch>[1][]) => foldReply('sub_A', batch(1, ...records).records);

describe('the reply of a response', () => {
  it('is its last text, all data by name and its metadata (HND-18)', () => {
    expect(foldReply('sub_A', recordsOf(workedExample))).toEqual({
      text: 'Order 8 is unknown.',
      data: { order: [{ id: '7' }] },
      metadata: { desk: 'eu' },
    });
  });

  it('is one text over a message that was cut and the one that continues it (RCD-83)', () => {
    expect(foldReply('sub_A', recordsOf(killedExample)).text).toBe('I could not reach the order system.');
  });

  it('joins the text parts of one message by a blank line, and is empty without any (HND-18)', () => {
    expect(reply(message('stop', 'One.', 'Two.')).text).toBe('One.\n\nTwo.');
    expect(reply(message('stop')).text).toBe('');
  });

  it('passes over failed messages and over aborted ones that nothing continues (HND-18)', () => {
    expect(
      reply(message('stop', 'Kept.'), message('error', 'Lost'), message('aborted', 'Lost too')).text,
    ).toBe('Kept.');
  });

  it('keeps what a twice interrupted message began, whatever is retried between (RCD-83)', () => {
    const text = reply(
      message('aborted', 'a'),
      continued,
      message('error', 'x'),
      message('aborted', 'b'),
      continued,
      message('aborted'),
      message('stop', 'c'),
    ).text;
    expect(text).toBe('abc');
  });

  it('keeps every write of a data part in order, even of a name that objects have (SUBR-03)', () => {
    const write = (name: string, data: number) =>
      ({ type: 'data_written', submissionId: 'sub_A', name, data, part: 1 }) as const;
    const { data } = reply(write('toString', 1), write('x', 2), write('toString', 3));
    expect(data).toEqual({ toString: [1, 3], x: [2] });
  });
});
