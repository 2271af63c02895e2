import { describe, expect, it } from 'vitest';
import { ulidIds } from '../adapters/node/ulid-ids.ts';
import { createFailureLog } from './failure-log.ts';

function log() {
  const written: string[] = [];
  const tell = createFailureLog({ ids: ulidIds(), write: (text) => written.push(text) });
  return { tell, text: () => written.join('') };
}

describe('the failure log', () => {
  it('begins with the reference that it returns, then says what it was about (ENV-05)', () => {
    const { tell, text } = log();
    const ref = tell(new Error('broken'), { operation: 'turn', attempt: 2, traceparent: undefined });
    expect(ref).toMatch(/^err_[0-9A-Z]{26}$/);
    expect(text().startsWith(`[flue] [${ref}] operation=turn attempt=2 Error: broken\n`)).toBe(true);
    expect(text().endsWith('\n')).toBe(true);
  });

  it('shows stacks, causes and members, and the trace of the request (ENV-06)', () => {
    const { tell, text } = log();
    const cause = new TypeError('root');
    const members = [new Error('first'), new Error('second', { cause })];
    tell(new AggregateError(members, 'all'), { traceparent: '00-abc-def-01' });
    expect(text()).toContain('traceparent=00-abc-def-01');
    for (const part of ['AggregateError: all', 'Error: first', 'Error: second', 'TypeError: root']) {
      expect(text()).toContain(part);
    }
    expect(text().match(/failure-log\.test/g)!.length).toBeGreaterThanOrEqual(4);
  });

  it('stops after eight levels and at a circle (ENV-06)', () => {
    const { tell, text } = log();
    let deep = new Error('level 10');
    for (let level = 9; level >= 1; level--) deep = new Error(`level ${level}`, { cause: deep });
    tell(deep);
    expect(text()).toContain('level 8');
    expect(text()).not.toContain('level 9');
    const circular = new Error('round') as Error & { cause: unknown };
    circular.cause = circular;
    tell(circular);
    expect(text()).toContain('shown above');
  });

  it('shows what only a developer may see (ENV-02)', () => {
    const { tell, text } = log();
    tell(Object.assign(new Error('caller'), { dev: 'look into /etc' }));
    expect(text()).toContain('look into /etc');
  });

  it('survives whatever is thrown at it and still returns a reference (ENV-08, STB-03)', () => {
    const hostile = {
      get stack(): string {
        throw new Error('no stack');
      },
      get message(): string {
        throw new Error('no message');
      },
    };
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const unprintable = { stack: { toString: () => ({}) as string } };
    const thrown: unknown[] = [
      hostile,
      revoked.proxy,
      unprintable,
      null,
      undefined,
      Symbol('s'),
      7n,
      () => {},
      {},
    ];
    const { tell, text } = log();
    for (const value of thrown) expect(tell(value)).toMatch(/^err_/);
    expect(tell(new Error('x'), { bad: { toString: () => ({}) as string } })).toMatch(/^err_/);
    expect(text().match(/\[flue\]/g)).toHaveLength(thrown.length + 1);
    const size = text().length;
    tell(new Error('m'.repeat(10_000_000)));
    expect(text().length - size).toBeLessThan(20_000);
  });

  it('returns a reference when neither ids nor the log work (ENV-08)', () => {
    const fail = () => {
      throw new Error('no');
    };
    expect(createFailureLog({ ids: { ulid: fail }, write: fail })(new Error('x'))).toBe('err_unknown');
  });

  it('lets no text forge a line or move a terminal (RED-06)', () => {
    const { tell, text } = log();
    const forged = 'x\r[flue] [err_FORGED] all is well\u001b[2J\u009b';
    const error = Object.assign(new Error('first'), { dev: `a\n${forged}` });
    error.stack = `Error: ${forged}`;
    tell(error, { id: `7\n${forged}` });
    tell(forged);
    for (const line of text().trimEnd().split('\n')) {
      expect(line).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      expect(line.startsWith('[flue] [err_FORGED]')).toBe(false);
    }
    expect(text()).toContain('\\u000d');
  });
});
