import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Redactor } from './redactor.ts';

describe('the redactor', () => {
  it('masks credentials of 8 or more characters, the longest first (AUTH-05)', () => {
    const redactor = new Redactor(['secret-key', 'secret-key-longer', 'short']);
    expect(redactor.text('secret-key-longer, secret-key and short')).toBe('[redacted], [redacted] and short');
  });

  it('masks known shapes of other secrets in error texts only (RED-04)', () => {
    const redactor = new Redactor([]);
    const shapes = [
      'sk-ant-api03-abcdefgh',
      'ghp_abcdefghijkl',
      'AIzaSyA1234567890abcdefghij',
      'AKIAIOSFODNN7EXAMPLE',
    ];
    for (const shape of shapes) {
      expect(redactor.errorText(`bad key ${shape}.`)).toBe('bad key [redacted].');
      expect(redactor.text(shape)).toBe(shape);
    }
    expect(redactor.errorText('Authorization: Bearer abc.def-12345')).toBe(
      'Authorization: Bearer [redacted]',
    );
    expect(redactor.errorText('task sk-1 is risky-business')).toBe('task sk-1 is risky-business');
  });

  it('finds a secret wherever the deltas split it, and says the same as for the whole text (RCD-11)', () => {
    const secret = 'abcabcabd';
    const piece = fc.constantFrom('a', 'b', 'c', 'd', 'abc', 'abcab', 'cabd', secret, ' ');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const redactor = new Redactor([secret]);
        const stream = redactor.stream();
        const streamed = pieces.map((text) => stream.push(text)).join('') + stream.flush();
        expect(streamed).toBe(redactor.text(pieces.join('')));
      }),
    );
  });

  it('holds nothing back when there is no secret', () => {
    expect(new Redactor([]).stream().push('abc')).toBe('abc');
  });
});
