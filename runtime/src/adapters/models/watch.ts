import { FlueError } from '../../errors/flue-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ModelEnd, ModelEvent } from '../../ports/model-gateway.ts';
import type { Fault, ModelRef } from '../../ports/model-shapes.ts';
import { Blocks, beforeCalls } from './blocks.ts';
import { NO_USAGE } from './usage.ts';

export interface WatchOptions {
  readonly model: ModelRef;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** 0 disables (RETRY-06) */
  readonly idleTimeoutMs: number;
}

/**
 * Holds every source of a response to the promises of the port: it ends exactly once, never rejects, ends at once on an
 * abort, and does not stay silent for longer than the idle timeout (RETRY-07). A source that ignores its signal is left
 * behind, so no provider can hold up an abort.
 */
export async function* watch(
  open: (signal: AbortSignal) => AsyncIterable<ModelEvent>,
  o: WatchOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  const blocks = new Blocks();
  const failed = (fault: Fault, cause?: unknown): ModelEnd => ({
    type: 'end',
    model: o.model,
    content: beforeCalls(blocks.all()),
    stop: 'error',
    fault,
    usage: NO_USAGE,
    ...(cause !== undefined && { cause }),
  });
  const aborted = (): ModelEnd => ({
    type: 'end',
    model: o.model,
    content: beforeCalls(blocks.all()),
    stop: 'aborted',
    usage: NO_USAGE,
  });

  if (o.signal.aborted) return yield aborted();
  const cut = cutOff(o);
  let iterator: AsyncIterator<ModelEvent> | undefined;
  let ended = false;
  try {
    iterator = open(cut.signal)[Symbol.asyncIterator]();
    for (;;) {
      const step = await cut.race(iterator.next());
      if (step === 'aborted') return yield aborted();
      if (step === 'idle')
        return yield failed(transient(`No event for ${o.idleTimeoutMs} ms.`, 'idle_timeout'));
      if (step.done)
        return yield failed(transient('The stream ended without a finish reason.', 'incomplete'));
      if (step.value.type === 'end') {
        ended = true;
        return yield settled(step.value, o.signal);
      }
      blocks.add(step.value);
      yield step.value;
    }
  } catch (error) {
    yield o.signal.aborted ? aborted() : failed(thrown(error), error);
  } finally {
    cut.release(ended);
    // Not awaited: a generator that hangs in its own await would hold this one.
    iterator?.return?.().then(undefined, () => {});
  }
}

/** What the table of TURN-12 makes of stop reasons that contradict the rest of the response. */
function settled(end: ModelEnd, signal: AbortSignal): ModelEnd {
  if (end.stop === 'aborted' && !signal.aborted) {
    return {
      ...end,
      stop: 'error',
      fault: transient('The stream was aborted by the other side.', 'aborted'),
    };
  }
  if (end.stop === 'toolUse' && !end.content.some((block) => block.type === 'call')) {
    return { ...end, stop: 'stop' };
  }
  return end;
}

type Reason = 'aborted' | 'idle';

/** Made once: the default reason of `abort()` captures a stack each time, which a scripted call would notice. */
const LEFT = new Error('nobody reads this response any more');

/** The two things that cut a response off from outside, as one race partner and one signal for the source. */
function cutOff({ signal, clock, idleTimeoutMs }: WatchOptions) {
  const control = new AbortController();
  let waitingSince: number | undefined;
  let cancelTimer = () => {};
  let reached: Reason | undefined;
  let tell: (reason: Reason) => void = () => {};
  const cut = (reason: Reason, cause: unknown) => {
    reached ??= reason;
    tell(reached);
    control.abort(cause);
  };

  const onAbort = () => cut('aborted', signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });

  // One timer per response and a look at the clock when it fires, instead of one timer per event.
  const arm = (ms: number) => {
    cancelTimer = clock.timer(ms, () => {
      const silent = waitingSince === undefined ? 0 : clock.now() - waitingSince;
      if (silent < idleTimeoutMs) arm(idleTimeoutMs - silent);
      else cut('idle', new Error(`no event for ${idleTimeoutMs} ms`));
    });
  };
  if (idleTimeoutMs > 0) arm(idleTimeoutMs);

  return {
    signal: control.signal,
    /** The source's next step, or what cut it off. Time spent in the consumer does not count as silence. */
    race<T>(next: Promise<T>): Promise<T | Reason> {
      waitingSince = clock.now();
      // By hand: `Promise.race` would leave a reaction on one long-lived promise for every event of the response.
      return new Promise<T | Reason>((resolve, reject) => {
        tell = resolve;
        if (reached) resolve(reached);
        const arrive = (value: T) => {
          waitingSince = undefined;
          resolve(value);
        };
        Promise.resolve(next).then(arrive, reject);
      });
    },
    /** Lets go of clock and signal; a source that has not ended by itself is told to stop. */
    release(ended: boolean) {
      signal.removeEventListener('abort', onAbort);
      cancelTimer();
      if (!ended) control.abort(LEFT);
    },
  };
}

function transient(message: string, reason: string): Fault {
  return { class: 'transient', message, reason };
}

/** A failure before any request: a specifier, a credential, a script. */
function thrown(error: unknown): Fault {
  const message = error instanceof Error ? error.message : String(error);
  return { class: 'terminal', message, ...(FlueError.is(error) && { reason: error.type }) };
}
