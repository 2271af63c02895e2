import { describe, expect, it } from 'vitest';
import { bufferOver, inCall } from './probe.test.support.ts';

describe('reads', () => {
  it('see committed values, then the attempt’s own writes (STATE-02)', () => {
    const buffer = bufferOver({ n: 1 });
    expect(buffer.read('n')).toEqual({ found: true, value: 1 });
    expect(buffer.read('other')).toEqual({ found: false, value: undefined });
    buffer.write('n', 2);
    expect(buffer.read('n').value).toBe(2);
  });

  it('and updaters work on copies (STATE-03)', () => {
    const buffer = bufferOver({ list: [1] });
    (buffer.read('list').value as number[]).push(9);
    buffer.write('list', (previous: number[]) => {
      previous.push(2);
      return previous;
    });
    expect(buffer.take()).toEqual([{ name: 'list', value: [1, 2] }]);
    expect(buffer.read('list').value).toEqual([1, 2]);
  });
});

describe('writes', () => {
  it.each([
    ['undefined', undefined, 'FLUE2406'],
    ['an updater without a result', () => {}, 'FLUE2406'],
    ['a Map', { m: new Map() }, 'FLUE2407'],
    ['a promise', () => Promise.resolve(1), 'FLUE2407'],
  ])('refuse %s and leave the value (STATE-04)', (_, value, rule) => {
    const buffer = bufferOver({ n: 1 });
    expect(() => buffer.write('n', value)).toThrow(
      new RegExp(`^\\[flue\\] The setter of state "n".*\\(${rule}\\)$`),
    );
    expect(buffer.take()).toEqual([]);
  });

  it('refuse what no batch can hold, at the call (RCD-13)', () => {
    const buffer = bufferOver({ n: 1 });
    const mebibytes = (n: number) => 'é'.repeat((n * 1024 * 1024) / 2);
    expect(() => buffer.write('n', mebibytes(12))).toThrow(
      expect.objectContaining({
        type: 'record_too_large',
        meta: expect.objectContaining({ recordType: 'state_written', limit: 12 * 1024 * 1024 }),
      }),
    );
    expect(buffer.read('n').value).toBe(1);
    buffer.write('n', mebibytes(11));
    expect(buffer.take()).toHaveLength(1);
  });

  it('name the path of what JSON cannot hold (STATE-04, JSON-01)', () => {
    expect(() => bufferOver().write('n', { a: [1n] })).toThrow('value.a[0] is a bigint');
  });

  it('keep the value as it was handed over (JSON-02)', () => {
    const buffer = bufferOver();
    const value = { a: 1 };
    buffer.write('n', value);
    value.a = 2;
    expect(buffer.take()).toEqual([{ name: 'n', value: { a: 1 } }]);
  });

  it('of an equal value add nothing, whatever the order of keys (STATE-06, STC-03)', () => {
    const buffer = bufferOver({ n: { a: 1, b: 2 } });
    buffer.write('n', { b: 2, a: 1 });
    expect(buffer.take()).toEqual([]);
    buffer.write('n', { a: 1, b: 3 });
    buffer.write('n', { b: 3, a: 1 });
    expect(buffer.take()).toHaveLength(1);
  });

  it('that return to the committed value are writes (STATE-06)', () => {
    const buffer = bufferOver({ n: 1 });
    buffer.write('n', 2);
    buffer.write('n', 1);
    expect(buffer.take().map(({ value }) => value)).toEqual([2, 1]);
  });

  it('of two calls that update do not drop each other (STATE-05, STC-03)', async () => {
    const buffer = bufferOver({ n: 0 });
    buffer.beginBatch(['c1', 'c2']);
    const increment = async () => {
      await Promise.resolve();
      buffer.write('n', (previous: number) => previous + 1);
    };
    await Promise.all([inCall('c1', increment), inCall('c2', increment)]);
    expect(buffer.read('n').value).toBe(2);
  });

  it('throw once the attempt has ended (STATE-10)', () => {
    const buffer = bufferOver({ n: 0 });
    buffer.end();
    expect(() => buffer.write('n', 1)).toThrow(
      '[flue] The setter of state "n" was called after its attempt had ended',
    );
    expect(buffer.read('n').value).toBe(0);
  });
});

describe('units', () => {
  it('take their own writes once, with call and order over the batch (STATE-08)', () => {
    const buffer = bufferOver();
    buffer.beginBatch(['c1', 'c2']);
    inCall('c1', () => buffer.write('a', 1));
    inCall('c2', () => buffer.write('b', 2));
    inCall('c1', () => buffer.write('a', 3));
    expect(buffer.take('c1')).toEqual([
      { name: 'a', value: 1, call: 'c1', n: 1 },
      { name: 'a', value: 3, call: 'c1', n: 3 },
    ]);
    expect(buffer.take('c1')).toEqual([]);
    expect(buffer.take()).toEqual([]);
    expect(buffer.take('c2')).toEqual([{ name: 'b', value: 2, call: 'c2', n: 2 }]);
  });

  it('stay readable after they were taken, before and after the batch commits (STATE-02)', () => {
    const buffer = bufferOver();
    buffer.beginBatch(['c1']);
    inCall('c1', () => buffer.write('a', 1));
    buffer.take('c1');
    expect(buffer.read('a').value).toBe(1);
    buffer.commitBatch();
    expect(buffer.read('a').value).toBe(1);
  });

  it('that are interrupted never wrote (STATE-08)', () => {
    const buffer = bufferOver({ n: 0 });
    buffer.beginBatch(['c1', 'c2']);
    inCall('c1', () => buffer.write('n', 5));
    inCall('c2', () => buffer.write('n', 5));
    buffer.drop('c1');
    expect(buffer.read('n').value).toBe(5);
    expect(buffer.take('c2')).toEqual([{ name: 'n', value: 5, call: 'c2', n: 2 }]);
    buffer.drop('c2');
    expect(buffer.read('n').value).toBe(0);
  });

  it('of a seam or a stray callback are leftovers, taken at the boundary (STATE-08)', () => {
    const buffer = bufferOver();
    buffer.write('a', 1);
    expect(buffer.take()).toEqual([{ name: 'a', value: 1 }]);
    expect(buffer.take()).toEqual([]);
    expect(buffer.read('a').value).toBe(1);
  });

  it('that have settled write leftovers from then on (STATE-10)', () => {
    const buffer = bufferOver();
    buffer.beginBatch(['c1', 'c2']);
    buffer.take('c1');
    inCall('c1', () => buffer.write('late', 1));
    expect(buffer.take()).toEqual([{ name: 'late', value: 1 }]);
  });

  it('never undo a newer write that already holds (STATE-02)', () => {
    const buffer = bufferOver();
    buffer.beginBatch(['c1']);
    buffer.write('n', 'older, outside');
    inCall('c1', () => buffer.write('n', 'newer, of the call'));
    buffer.take('c1');
    buffer.commitBatch();
    expect(buffer.take()).toEqual([]);
    expect(buffer.read('n').value).toBe('newer, of the call');
  });

  it('of a recovered batch go on counting after the recorded writes (STATE-08)', () => {
    const buffer = bufferOver({ n: 0 });
    buffer.beginBatch(['c2'], [{ name: 'n', value: 4, call: 'c1', n: 2 }]);
    expect(buffer.read('n').value).toBe(4);
    inCall('c2', () => buffer.write('n', (previous: number) => previous + 1));
    expect(buffer.take('c2')).toEqual([{ name: 'n', value: 5, call: 'c2', n: 3 }]);
    expect(buffer.take('c1')).toEqual([]);
  });
});
