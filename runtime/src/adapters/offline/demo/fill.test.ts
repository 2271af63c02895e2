import { describe, expect, it } from 'vitest';
import { fillParameters } from './fill.ts';
import type { Schema } from './schema.ts';

/** The value that one required parameter gets from a text. */
function fill(name: string, schema: Schema, text: string): unknown {
  return fillParameters({ properties: { [name]: schema }, required: [name] }, text).values[name];
}

describe('a required parameter takes from the clause (OFF-07)', () => {
  const rows: [name: string, schema: Schema, text: string, value: unknown][] = [
    // enum, const
    ['size', { enum: ['small', 'large'] }, 'a large one please', 'large'],
    ['status', { enum: ['in_transit', 'transit'] }, 'those in transit', 'in_transit'],
    ['kind', { const: 'order' }, 'anything', 'order'],
    ['kind', { enum: ['order'] }, 'anything', 'order'],
    ['size', { enum: ['small', 'large'] }, 'a medium one', undefined],
    // integer, number
    ['seats', { type: 'integer' }, 'table 7 with 3 seats', 3],
    ['quantity', { type: 'integer' }, 'order 2, quantity: 12', 12],
    ['quantity', { type: 'integer' }, 'send 5 of them', 5],
    ['amount', { type: 'number' }, 'pay 1,234.5 now', 1234.5],
    ['degrees', { type: 'number' }, 'cool to -3 degrees', -3],
    ['discount', { type: 'number' }, 'give 20% off', 20],
    ['quantity', { type: 'integer' }, 'about 2.5 of them', undefined],
    ['quantity', { type: 'integer' }, 'order ORD-1042', undefined],
    ['year', { type: 'integer' }, 'on 2024-05-01', undefined],
    // boolean
    ['giftWrap', { type: 'boolean' }, 'send it without gift wrap', false],
    ['giftWrap', { type: 'boolean' }, 'send it with gift wrap', true],
    ['lamp', { type: 'boolean' }, 'turn the lamp on', true],
    ['urgent', { type: 'boolean' }, 'urgent: no', false],
    ['urgent', { type: 'boolean' }, 'yes, now', true],
    ['urgent', { type: 'boolean' }, 'send it', undefined],
    // string
    ['city', { type: 'string' }, 'weather, city: New York, unit: celsius', 'New York'],
    ['orderId', { type: 'string' }, 'cancel order_id=ORD-7 now', 'ORD-7'],
    ['contact', { type: 'string', format: 'email' }, 'write to ann@example.com.', 'ann@example.com'],
    [
      'page',
      { type: 'string', format: 'uri' },
      'open https://example.com/a?b=1.',
      'https://example.com/a?b=1',
    ],
    ['day', { type: 'string', format: 'date' }, 'on 2024-05-01', '2024-05-01'],
    ['at', { type: 'string', format: 'date-time' }, 'at 2024-05-01T10:00:00Z', '2024-05-01T10:00:00Z'],
    [
      'token',
      { type: 'string', format: 'uuid' },
      'use 6f1d3c1e-9a4b-4c55-8d5f-0123456789ab',
      '6f1d3c1e-9a4b-4c55-8d5f-0123456789ab',
    ],
    ['orderId', { type: 'string' }, 'Where is order ORD-1042?', 'ORD-1042'],
    ['ticketNumber', { type: 'string' }, 'close #17', '#17'],
    ['ticketNumber', { type: 'string', pattern: '^\\d+$' }, 'close #17', '17'],
    ['filePath', { type: 'string' }, 'read src/app/main.ts please', 'src/app/main.ts'],
    ['file', { type: 'string' }, 'open notes.txt', 'notes.txt'],
    ['command', { type: 'string' }, 'run `npm test` now', 'npm test'],
    ['title', { type: 'string' }, 'add "Buy milk" to the list', 'Buy milk'],
    ['title', { type: 'string' }, "it's 'quite good' really", 'quite good'],
    ['city', { type: 'string' }, 'weather in San Francisco today', 'San Francisco'],
    ['question', { type: 'string' }, 'how tall is it', 'how tall is it'],
    ['city', { type: 'string' }, 'what is the weather', undefined],
    // array
    [
      'cities',
      { type: 'array', items: { type: 'string' } },
      'compare Paris, London and New York',
      ['Paris', 'London', 'New York'],
    ],
    ['ids', { type: 'array', items: { type: 'integer' } }, 'add 1, 2 and 3', [1, 2, 3]],
    ['sizes', { type: 'array', items: { enum: ['s', 'm', 'l'] } }, 'in s and l', ['s', 'l']],
    ['orderIds', { type: 'array', items: { type: 'string' } }, 'cancel ORD-1', ['ORD-1']],
    ['tags', { type: 'array', items: { type: 'string' } }, 'tags: red', ['red']],
    // object
    [
      'address',
      {
        type: 'object',
        properties: { city: { type: 'string' }, number: { type: 'integer' } },
        required: ['city', 'number'],
      },
      'ship to Paris, number 12',
      { city: 'Paris', number: 12 },
    ],
    // unions
    ['city', { anyOf: [{ type: 'null' }, { type: 'string' }] }, 'weather in Oslo', 'Oslo'],
  ];
  it.each(rows)('%s %j from "%s"', (name, schema, text, value) => {
    expect(fill(name, schema, text)).toEqual(value);
  });
});

describe('the limits of a schema (OFF-08)', () => {
  const rows: [schema: Schema, text: string, value: unknown][] = [
    [{ type: 'integer', minimum: 10 }, 'between 3 and 12', 12],
    [{ type: 'integer', maximum: 2 }, 'take 3', undefined],
    [{ type: 'number', exclusiveMinimum: 0 }, 'take 0', undefined],
    [{ type: 'integer', multipleOf: 5 }, 'take 7 or 10', 10],
    [{ type: 'string', minLength: 4 }, 'say "hi" or "hello"', 'hello'],
    [{ type: 'string', maxLength: 3 }, 'say "hello"', undefined],
    [{ type: 'string', pattern: '^[A-Z]{3}$' }, 'from "abc" or "ABC"', 'ABC'],
    [{ type: 'array', items: { type: 'integer' }, maxItems: 2 }, 'add 1, 2 and 3', undefined],
  ];
  it.each(rows)('%j in "%s"', (schema, text, value) => {
    expect(fill('value', schema, text)).toEqual(value);
  });

  it('an optional parameter is filled by name, by member or by format only', () => {
    const optional = (schema: Schema, text: string) =>
      fillParameters({ properties: { note: schema } }, text).values;
    expect(optional({ type: 'string' }, 'note: ring twice')).toEqual({ note: 'ring twice' });
    expect(optional({ enum: ['red', 'blue'] }, 'the blue one')).toEqual({ note: 'blue' });
    expect(optional({ type: 'string', format: 'email' }, 'ask ann@example.com')).toEqual({
      note: 'ann@example.com',
    });
    expect(optional({ type: 'string' }, 'send "it" to Paris')).toEqual({});
    expect(optional({ type: 'integer' }, 'send 5')).toEqual({});
    expect(optional({ const: 'x' }, 'send')).toEqual({});
  });
});

describe('each piece of text is used once (OFF-07)', () => {
  it('in schema order', () => {
    const schema = {
      properties: { from: { type: 'integer' }, to: { type: 'integer' } },
      required: ['from', 'to'],
    };
    expect(fillParameters(schema, 'pages 3 and 9').values).toEqual({ from: 3, to: 9 });
    expect(fillParameters(schema, 'page 3')).toMatchObject({
      values: { from: 3 },
      missing: [{ name: 'to' }],
    });
  });

  it('and what the text gives to another parameter by name stays free for it', () => {
    const schema = {
      properties: { city: { type: 'string' }, note: { type: 'string' } },
      required: ['city', 'note'],
    };
    expect(fillParameters(schema, 'note: "call Ann" to Paris').values).toEqual({
      note: 'call Ann',
      city: 'Paris',
    });
  });
});
