/** An operation that was started: a promise of its result, which can be stopped (CALL-01). */
export interface CallHandle<T> extends Promise<T> {
  /** fires when the operation is stopped, by `abort()`, by the caller's signal or because its harness closes */
  readonly signal: AbortSignal;
  /**
   * Stops the operation: the promise rejects with a `DOMException` named `AbortError` whose `cause` is the first reason
   * that was given (CALL-02). Does nothing once it has settled (CALL-03).
   */
  abort(reason?: unknown): void;
}

/**
 * Starts `run` under a signal of its own. With `external` aborted beforehand nothing is started (CALL-03). Nobody has to
 * take the result: a rejection that is dropped is no unhandled one (CALL-04).
 */
export function startCall<T>(
  run: (signal: AbortSignal) => Promise<T>,
  external?: AbortSignal,
): CallHandle<T> {
  const controller = new AbortController();
  const { signal } = controller;
  let settled = false;
  const abort = (reason?: unknown) => {
    if (!settled) controller.abort(reason);
  };
  const follow = () => abort(external?.reason);
  if (external?.aborted) follow();
  else external?.addEventListener('abort', follow, { once: true });
  const promise = outcomeOf(run, signal).finally(() => {
    external?.removeEventListener('abort', follow);
    settled = true;
  });
  promise.catch(() => {});
  return Object.defineProperties(promise, {
    signal: { value: signal },
    abort: { value: abort },
  }) as CallHandle<T>;
}

async function outcomeOf<T>(run: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    if (signal.aborted) throw signal.reason;
    return await run(signal);
  } catch (error) {
    throw signal.aborted ? abortError(signal.reason) : error;
  }
}

export function abortError(reason: unknown): DOMException {
  const error = new DOMException('The operation was stopped.', 'AbortError');
  return Object.defineProperty(error, 'cause', { value: reason, configurable: true, writable: true });
}
