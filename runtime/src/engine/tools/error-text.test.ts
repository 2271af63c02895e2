import { describe, expect, it } from 'vitest';
import { errorText } from './error-text.ts';

describe('errorText', () => {
  it.each([
    ['an error', new RangeError('too far'), 'too far'],
    ['an error without a message', new RangeError(), 'RangeError'],
    ['a string', 'plain', 'plain'],
    ['an object', { code: 7, message: 'm' }, '{"code":7,"message":"m"}'],
    ['null', null, 'null'],
    ['a bigint', 10n, '10'],
    ['undefined', undefined, 'undefined'],
    ['an abort', new DOMException('stopped', 'AbortError'), 'stopped'],
  ])('shows %s (TCALL-09)', (_, thrown, text) => {
    expect(errorText(thrown)).toBe(text);
  });

  it('never shows a stack (CLS-03)', () => {
    expect(errorText(new Error('x'))).not.toContain('error-text.test');
  });

  it('cuts at 8 KiB, at a character (CLS-03)', () => {
    for (const message of ['x'.repeat(20_000), '€'.repeat(20_000), `x${'€'.repeat(20_000)}`]) {
      const text = errorText(new Error(message));
      const bytes = new TextEncoder().encode(text).length;
      expect(bytes).toBeLessThanOrEqual(8192);
      expect(bytes).toBeGreaterThan(8192 - 6);
      expect(text).not.toContain('\uFFFD');
      expect(text.endsWith('…')).toBe(true);
    }
    expect(errorText('y'.repeat(8192))).toBe('y'.repeat(8192));
  });

  it.each([
    [
      'a getter that throws',
      {
        get a() {
          throw new Error('no');
        },
      },
    ],
    [
      'a cycle',
      (() => {
        const o: Record<string, unknown> = {};
        o.o = o;
        return o;
      })(),
    ],
    ['a bigint inside', { n: 1n }],
    [
      'a revoked proxy',
      (() => {
        const p = Proxy.revocable({}, {});
        p.revoke();
        return p.proxy;
      })(),
    ],
  ])('survives %s (OBS-04)', (_, thrown) => {
    expect(errorText(thrown)).toBe('The tool failed with an error that cannot be read.');
  });
});
