import { startTimer } from '../timer.ts';

/**
 * The stop of one command of an interpreter that runs in this process. Such a command may compute for long without
 * giving timers a turn, so its limit is read from the clock whenever the interpreter looks at the signal, which it does
 * before each statement (VBSH-04); the timer is for a command that waits.
 */
export interface CommandWatch {
  readonly signal: AbortSignal;
  /** whether the limit ended it */
  readonly expired: boolean;
  end(): void;
}

/** Taken now: a just-bash that defends itself blocks the global one while its scripts run. */
const clock = performance.now.bind(performance);

export function watchCommand(outer: AbortSignal | undefined, timeoutMs: number | undefined): CommandWatch {
  const controller = new AbortController();
  const { signal } = controller;
  const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : clock() + timeoutMs;
  const isOver = () => clock() >= deadline;
  const isAborted = Object.getOwnPropertyDescriptor(AbortSignal.prototype, 'aborted')!.get!;
  Object.defineProperty(signal, 'aborted', { get: () => isAborted.call(signal) || isOver() });
  const cancel =
    timeoutMs === undefined
      ? undefined
      : startTimer(timeoutMs, () => controller.abort(), { keepsAlive: true });
  const abort = () => controller.abort(outer?.reason);
  outer?.addEventListener('abort', abort, { once: true });
  return {
    signal,
    get expired() {
      return isOver() && !outer?.aborted;
    },
    end() {
      cancel?.();
      outer?.removeEventListener('abort', abort);
    },
  };
}
