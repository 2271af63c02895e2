import { describe, expect, it } from 'vitest';
import { OperationFailedError } from '../engine/errors.ts';
import { FlueError } from '../errors/flue-error.ts';
import { SubmissionTimeoutError } from './errors.ts';
import { toSettlementError } from './settlement-error.ts';

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
const failure = (fields: { message?: string; details?: string; meta?: Record<string, unknown> }) =>
  new FlueError({ type: 'operation_failed', message: 'No.', ...fields });

describe('the error of a settlement', () => {
  it('has the fields of a FlueError and the reference of its log line (SET-01, SET-02, SET-03)', () => {
    const error = new SubmissionTimeoutError({ timeoutMs: 5 });
    expect(toSettlementError(error, 'sub_A', 'err_1')).toEqual({
      name: 'SubmissionTimeoutError',
      type: 'submission_timeout',
      message: error.message,
      details: error.details,
      meta: { timeoutMs: 5, ref: 'err_1' },
    });
    expect(toSettlementError(failure({}), 'sub_A')).toEqual({
      name: 'OperationFailedError',
      type: 'operation_failed',
      message: 'No.',
    });
  });

  it('says nothing of what it wraps, of stacks or to developers (SET-02, SET-04)', () => {
    const cause = new Error('password=hunter2');
    const error = new OperationFailedError(
      { operation: 'turn', reason: 'no.' },
      { cause, dev: 'see /srv/app' },
    );
    const text = JSON.stringify(toSettlementError(error, 'sub_A'));
    for (const secret of ['hunter2', '/srv/app', 'settlement-error.test']) expect(text).not.toContain(secret);
  });

  it('is generic for anything else, and tells what to quote (SET-02, SET-03, RED-01)', () => {
    for (const thrown of [new Error('password=hunter2'), 'hunter2', undefined, { message: 'hunter2' }]) {
      const error = toSettlementError(thrown, 'sub_A', 'err_1');
      expect(error).toMatchObject({ name: 'Error', type: 'internal_error', meta: { ref: 'err_1' } });
      expect(error.details).toContain('sub_A');
      expect(JSON.stringify(error)).not.toContain('hunter2');
    }
  });

  it('is at most 16 KiB, with long strings cut and marked (SET-06)', () => {
    const long = toSettlementError(
      failure({ message: 'm'.repeat(50_000), meta: { limit: 3 } }),
      'sub_A',
      'err_1',
    );
    expect(long.message).toMatch(/^m{2000,} \[cut\]$/);
    expect(long.meta).toEqual({ limit: 3, ref: 'err_1' });
    // A control character takes six bytes, an emoji four.
    for (const char of ['\u0001', '😀', '"']) {
      const text = char.repeat(20_000);
      expect(
        sizeOf(toSettlementError(failure({ message: text, details: text }), 'sub_A', 'err_1')),
      ).toBeLessThanOrEqual(16_384);
    }
    const wide = toSettlementError(
      failure({ details: 'kept', meta: { all: 'x'.repeat(20_000) } }),
      'sub_A',
      'err_1',
    );
    expect(wide).toMatchObject({ details: 'kept', meta: { truncated: true, ref: 'err_1' } });
    expect(sizeOf(wide)).toBeLessThanOrEqual(16_384);
  });

  it('goes without a meta that is no JSON, so that it can always be recorded (SET-06, REC-07)', () => {
    const meta: Record<string, unknown> = { size: 1n };
    meta.self = meta;
    expect(toSettlementError(failure({ meta }), 'sub_A', 'err_1').meta).toEqual({
      truncated: true,
      ref: 'err_1',
    });
  });
});
