import type { Fault } from '../../ports/model-shapes.ts';
import type { Events } from './events.ts';

/** A retry and the wait before it. */
export interface Retry {
  /** its number, from 1 */
  readonly attempt: number;
  readonly maxRetries: number;
  readonly delayMs: number;
}

/** Logged for everybody, and told to observers with what it is made for (RETRY-08). */
export function tellRetry(
  events: Events,
  turnId: string,
  fault: Fault | undefined,
  { attempt, maxRetries, ...o }: Retry,
): void {
  const delayMs = Math.round(o.delayMs);
  events.log({
    level: 'warn',
    message: '[flue:model-retry] A model call failed and is tried again.',
    attributes: { attempt, retries: maxRetries, delayMs },
  });
  if (!events.wants('turn_retry')) return;
  const error = { message: fault?.message ?? '', type: fault?.reason ?? 'provider' };
  events.emit({ type: 'turn_retry', turnId, attempt, maxRetries, delayMs, reason: reasonOf(fault), error });
}

function reasonOf(fault: Fault | undefined): 'provider' | 'idle' | 'overflow' {
  if (fault?.class === 'overflow') return 'overflow';
  return fault?.reason === 'idle_timeout' ? 'idle' : 'provider';
}
