import { describe, expect, it } from 'vitest';
import { createLogger, type LogLine } from './logger.ts';

function linesOf(write: (log: ReturnType<typeof createLogger>) => void): LogLine[] {
  const lines: LogLine[] = [];
  write(createLogger((line) => lines.push(line), { tool: 't', toolCallId: 'c1' }));
  return lines;
}

describe('createLogger', () => {
  it('adds where a line comes from, which its attributes cannot claim (LOGE-02)', () => {
    expect(linesOf((log) => log.info('half way', { done: 5, tool: 'other' }))).toEqual([
      { level: 'info', message: 'half way', attributes: { done: 5, tool: 't', toolCallId: 'c1' } },
    ]);
  });

  it('has three levels (LOGE-01)', () => {
    const lines = linesOf((log) => {
      log.info('a');
      log.warn('b');
      log.error('c');
    });
    expect(lines.map(({ level }) => level)).toEqual(['info', 'warn', 'error']);
  });

  it('keeps the fields of an error, not its stack (LOGE-02)', () => {
    const [line] = linesOf((log) => log.error('failed', { error: new RangeError('far') }));
    expect(line!.attributes.error).toEqual({ name: 'RangeError', message: 'far' });
  });

  it('reads attributes at the call, and marks what it cannot read (LOGE-03)', () => {
    const attributes = { list: [1], big: 1n };
    const [line] = linesOf((log) => {
      log.info('x', attributes);
      attributes.list.push(2);
    });
    expect(line!.attributes).toMatchObject({ list: [1], big: '[unserializable]' });
  });

  it('cuts attributes at 16 KiB (LOGE-03)', () => {
    const [line] = linesOf((log) => log.info('x', { a: 'small', b: 'x'.repeat(17_000), c: 'after' }));
    expect(line!.attributes.a).toBe('small');
    expect(line!.attributes.b).toMatch(/^\[cut/);
    expect(JSON.stringify(line!.attributes).length).toBeLessThan(1000);
  });

  it('never throws (LOGE-03)', () => {
    const log = createLogger(() => {
      throw new Error('sink is gone');
    }, {});
    expect(() =>
      log.info('x', {
        get a() {
          throw new Error('no');
        },
      } as never),
    ).not.toThrow();
  });
});
