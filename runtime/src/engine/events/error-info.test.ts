import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OperationFailedError } from '../errors.ts';
import { errorInfo, eventError } from './error-info.ts';

const failure = () =>
  new OperationFailedError(
    { operation: 'turn', reason: 'no', category: 'provider' },
    { cause: new Error('why') },
  );

const plain = (text: string) => text;

describe('what observers are told of a failure', () => {
  it.each<[string, unknown, object]>([
    ['an abort', new DOMException('Stopped.', 'AbortError'), { type: 'AbortError', message: 'Stopped.' }],
    ['another exception of the platform', new DOMException('x', 'TimeoutError'), { type: 'TimeoutError' }],
    ['an error of the framework', failure(), { type: 'operation_failed', meta: { operation: 'turn' } }],
    [
      'an object with a type',
      { type: 'card_declined', code: 'E1', name: 'N' },
      { type: 'card_declined', code: 'E1' },
    ],
    ['an object with a code', { code: 'ENOENT', name: 'N' }, { type: 'ENOENT', code: 'ENOENT', name: 'N' }],
    [
      'an error of an author',
      new RangeError('far'),
      { type: 'RangeError', name: 'RangeError', message: 'far' },
    ],
    ['an object without either', { message: 'm' }, { type: '_OTHER', message: 'm' }],
    ['an object whose fields are no texts', { type: 7, code: {}, name: '' }, { type: '_OTHER' }],
    ['a text', 'broken', { type: '_OTHER', message: 'broken' }],
    ['anything else', 42, { type: '_OTHER' }],
    ['nothing', undefined, { type: '_OTHER' }],
  ])('%s is classified by what it says of itself (OBS-02)', (_, thrown, expected) => {
    expect(errorInfo(thrown, plain)).toMatchObject(expected);
  });

  it('of another class that is named AbortError keeps its own type (OBS-02)', () => {
    const error = Object.assign(new Error('x'), { name: 'AbortError', type: 'mine' });
    expect(errorInfo(error, plain).type).toBe('mine');
  });

  it('has a stack from real errors alone, and the recorded shape has none at all (OBS-03, SCRUB-03)', () => {
    expect(errorInfo(new Error('x'), plain).stack).toContain('error-info.test');
    expect(errorInfo({ message: 'x', stack: 'at /home/me/secret.ts:1' }, plain)).toEqual({
      type: '_OTHER',
      message: 'x',
    });
    const error = eventError(failure(), plain);
    expect(Object.keys(error).sort()).toEqual(['message', 'meta', 'name', 'type']);
    expect(JSON.stringify(error)).not.toContain('error-info.test');
  });

  it('is read without a throw, whatever was thrown, and bounded (OBS-04)', () => {
    const hostile = new Proxy(
      {},
      {
        get() {
          throw new Error('no');
        },
        getPrototypeOf() {
          throw new Error('no');
        },
      },
    );
    const thrower = {
      get message(): string {
        throw new Error('no');
      },
      name: 'Named',
    };
    expect(errorInfo(hostile, plain)).toEqual({ type: '_OTHER' });
    expect(errorInfo(thrower, plain)).toEqual({ type: 'Named', name: 'Named' });
    const cyclic = Object.assign(failure(), { meta: {} as Record<string, unknown> });
    cyclic.meta!.self = cyclic.meta;
    expect(errorInfo(cyclic, plain).meta).toBeUndefined();
    expect(errorInfo('x'.repeat(10_000_000), plain).message!.length).toBeLessThan(20_000);
    expect(errorInfo(new Error('x'.repeat(10_000_000)), plain).message!.length).toBeLessThan(20_000);
    fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true }),
        (thrown) => {
          expect(typeof errorInfo(thrown, plain).type).toBe('string');
        },
      ),
    );
  });

  it('holds no part of a credential that lies where a long text is cut (AUTH-05)', () => {
    const secret = 'sk-0123456789abcdef';
    const redact = (text: string) => text.replaceAll(secret, '[redacted]');
    for (let before = 16_360; before < 16_390; before++) {
      const message = `${'x'.repeat(before)}${secret}`;
      for (const thrown of [message, new Error(message)])
        expect(errorInfo(thrown, redact).message, `${before}`).not.toContain('sk-');
      expect(eventError(new Error(message), redact).message, `${before}`).not.toContain('sk-');
    }
  });
});
