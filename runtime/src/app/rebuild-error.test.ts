import { describe, expect, it } from 'vitest';
import { ERROR_TYPES } from '../contract/codes.ts';
import { OperationFailedError } from '../engine/errors.ts';
import { FlueError } from '../errors/flue-error.ts';
import {
  AgentUnavailableError,
  SubmissionAbortedError,
  SubmissionInterruptedError,
  SubmissionRetryExhaustedError,
  SubmissionTimeoutError,
} from '../submissions/errors.ts';
import { toSettlementError } from '../submissions/settlement-error.ts';
import { rebuildError } from './rebuild-error.ts';

const counts = { attemptCount: 3, maxAttempts: 3 };

describe('an error rebuilt from a settlement', () => {
  it('is an instance of the class that owns its type, with the same fields (HND-19, FLT-20)', () => {
    const errors = [
      new OperationFailedError({ operation: 'turn', reason: 'no.', category: 'provider' }),
      new AgentUnavailableError({ agent: 'Orders' }),
      new SubmissionAbortedError({ interruptedTools: [{ name: 'look', id: 'c1' }] }),
      new SubmissionInterruptedError(counts),
      new SubmissionRetryExhaustedError(counts),
      new SubmissionTimeoutError({ timeoutMs: 1000 }),
    ];
    for (const error of errors) {
      const rebuilt = rebuildError(toSettlementError(error, 'sub_A', 'err_1'));
      expect(rebuilt).toBeInstanceOf(error.constructor);
      expect(rebuilt).toMatchObject({
        name: error.name,
        type: error.type,
        message: error.message,
        details: error.details,
        meta: { ...error.meta, ref: 'err_1' },
      });
      expect(FlueError.is(rebuilt, error.type)).toBe(true);
      expect(rebuilt.dev).toBe('');
    }
  });

  it('is a FlueError of its type where no class is its own, and internal where the type is unknown (HND-19)', () => {
    const other = rebuildError({ type: ERROR_TYPES.RecordTooLargeError, message: 'Too large.' });
    expect(Object.getPrototypeOf(other)).toBe(FlueError.prototype);
    expect(other).toMatchObject({ type: 'record_too_large', message: 'Too large.', details: '' });
    for (const type of [undefined, 'from_the_future']) {
      expect(rebuildError({ message: 'x', ...(type && { type }) })).toMatchObject({ type: 'internal_error' });
    }
  });

  it('shares nothing with the record (HND-19)', () => {
    const meta = { limit: 1 };
    const rebuilt = rebuildError({ type: 'operation_failed', message: 'x', meta });
    rebuilt.meta!.limit = 2;
    expect(meta.limit).toBe(1);
  });
});
