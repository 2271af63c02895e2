import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { cloneJson, equalJson, snapshotJson } from './json-value.ts';

describe('snapshotJson', () => {
  it('takes every JSON value (JSON-01)', () => {
    const value = { a: null, b: true, c: 1.5, d: 'x', e: [1, [2], { f: '' }] };
    expect(snapshotJson(value, 'value')).toEqual(value);
  });

  it('takes plain objects without a prototype and of another realm (JSON-01)', () => {
    expect(snapshotJson(Object.assign(Object.create(null), { a: 1 }), 'value')).toEqual({ a: 1 });
    expect(snapshotJson(runInNewContext('({ a: [1] })'), 'value')).toEqual({ a: [1] });
  });

  it('replaces an object by what its toJSON gives (JSON-01)', () => {
    expect(snapshotJson({ at: new Date(0), url: new URL('https://a.dev/x') }, 'value')).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      url: 'https://a.dev/x',
    });
    const named = { toJSON: (key: string) => `under ${key}` };
    expect(snapshotJson({ here: named }, 'value')).toEqual({ here: 'under here' });
  });

  it('drops undefined properties, and only those (JSON-01, PC-040)', () => {
    const value = { a: 1, b: undefined, c: [{ d: undefined, e: null }] };
    expect(JSON.stringify(snapshotJson(value, 'value'))).toBe('{"a":1,"c":[{"e":null}]}');
  });

  it.each([
    ['NaN', { a: Number.NaN }, 'output.a is NaN,'],
    ['Infinity', [1, Number.POSITIVE_INFINITY], 'output[1] is Infinity,'],
    ['a bigint', { a: { b: 1n } }, 'output.a.b is a bigint,'],
    ['a function', { f() {} }, 'output.f is a function,'],
    ['a symbol', [Symbol('s')], 'output[0] is a symbol,'],
    ['a Map', { 'by id': new Map() }, 'output["by id"] is an instance of Map,'],
    ['a Set', new Set(), 'output is an instance of Set,'],
    ['an error', { e: new TypeError('x') }, 'output.e is an instance of TypeError,'],
    ['another class instance', { p: new (class Point {})() }, 'output.p is an instance of Point,'],
    ['a boxed number', Object(1), 'output is an instance of Number,'],
    ['a namespace object', { m: Math }, 'output.m is an object of kind Math,'],
    ['a nested promise', { p: Promise.resolve() }, 'output.p is an instance of Promise,'],
    ['undefined in an array', { list: [1, undefined] }, 'output.list[1] is undefined,'],
    ['a hole in an array', new Array(1), 'output[0] is undefined,'],
    ['undefined at the top', undefined, 'output is undefined,'],
    ['what toJSON may not give', { v: { toJSON: () => undefined } }, 'output.v is undefined,'],
  ])('refuses %s and names its path (JSON-01)', (_, value, message) => {
    expect(() => snapshotJson(value, 'output')).toThrow(message);
  });

  it('refuses a cycle, not a value that occurs twice (JSON-01)', () => {
    const shared = { n: 1 };
    expect(snapshotJson({ a: shared, b: shared }, 'value')).toEqual({ a: { n: 1 }, b: { n: 1 } });
    const ring: Record<string, unknown> = {};
    ring.self = [ring];
    expect(() => snapshotJson(ring, 'value')).toThrow('value.self[0] refers to an object that contains it.');
  });

  it('is detached from the value it was made of (JSON-02)', () => {
    const value = { list: [{ n: 1 }] };
    const snapshot = snapshotJson(value, 'value');
    value.list[0]!.n = 2;
    value.list.push({ n: 3 });
    expect(snapshot).toEqual({ list: [{ n: 1 }] });
  });

  it('gives what reading its JSON text gives (JSON-01)', () => {
    const value = { zero: -0, ['__proto__']: 'own key' };
    Object.defineProperty(value, '__proto__', { value: { polluted: true }, enumerable: true });
    const snapshot = snapshotJson(value, 'value') as Record<string, unknown>;
    expect(Object.is(snapshot.zero, 0)).toBe(true);
    expect(Object.keys(snapshot)).toContain('__proto__');
    expect((snapshot as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe('cloneJson', () => {
  it('copies deeply and leaves what is not JSON as it is (STATE-03)', () => {
    const date = new Date(0);
    const value = { a: [{ b: 1 }], date };
    const copy = cloneJson(value);
    copy.a[0]!.b = 2;
    expect(value.a[0]!.b).toBe(1);
    expect(copy.date).toBe(date);
  });
});

describe('equalJson', () => {
  it('compares by value, whatever the order of keys (STATE-06)', () => {
    expect(equalJson({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 })).toBe(true);
  });

  it.each([
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1 }, { b: 1 }],
    [[], {}],
    [null, {}],
    ['1', 1],
  ])('tells %j from %j (STATE-06)', (a, b) => {
    expect(equalJson(a as never, b as never)).toBe(false);
    expect(equalJson(b as never, a as never)).toBe(false);
  });
});
