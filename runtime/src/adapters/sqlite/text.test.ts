import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRecords, decodeText, encodeRecords, encodeText } from './text.ts';

/** Code units of every kind: lone surrogates, pairs, NUL, and the separator itself. */
const text = fc
  .string({ unit: 'binary', maxLength: 40 })
  .chain((plain) =>
    fc
      .constantFrom('', '\u001e', '\ud800', '\udfff', '\u0000', '\u{1f600}', '"', '\\')
      .map((extra) => plain + extra + plain),
  );

const db = new Database(':memory:');
const throughSqlite = db.prepare('SELECT ? AS value').pluck();

describe('stored text', () => {
  it('returns every code unit after a trip through the engine (CTS-02)', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(decodeText(throughSqlite.get(encodeText(value)) as string)).toBe(value);
      }),
    );
  });

  it('returns the bodies of a batch, each as it was (STR-02, CTS-02)', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), (bodies) => {
        expect(decodeRecords(throughSqlite.get(encodeRecords(bodies)) as string)).toEqual(bodies);
      }),
      { examples: [[[]], [['']], [['', 'x']], [['x', '']], [['', '']], [['a\u001eb']], [['\u001e[]']]] },
    );
  });

  it('keeps different texts different, so that they can be keys (CTS-02)', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(encodeText(a) === encodeText(b)).toBe(a === b);
      }),
    );
  });

  it('adds to a batch of JSON one character per further body (STR-11)', () => {
    const bodies = ['{"v":1,"text":"\\"quoted\\""}', '{"v":1}', '{"v":1}'];
    expect(encodeRecords(bodies).length).toBe(bodies.join('').length + 2);
  });
});
