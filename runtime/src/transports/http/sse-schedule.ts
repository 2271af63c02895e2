import type { HttpSettings } from '../../contract/limits.ts';
import type { Clock } from '../../ports/clock.ts';

export interface ScheduleEvents {
  heartbeat(): void;
  /** no control event was sent for `longPollMs` */
  control(): void;
  /** the connection is as old as `sseMaxLifetimeMs` */
  lifetime(): void;
  /** the reader took no bytes for `sseStallMs` */
  stalled(): void;
}

/** What one event stream does at which time, on one timer that is armed anew only when it fires (SSE-06). */
export interface Schedule {
  readonly controlDue: boolean;
  controlSent(): void;
  /** the reader's buffer is full; it stays so until `flowing` */
  blocked(): void;
  flowing(): void;
  close(): void;
}

const NEVER = Number.POSITIVE_INFINITY;

export function openSchedule(clock: Clock, http: HttpSettings, events: ScheduleEvents): Schedule {
  const opened = clock.now();
  let heartbeatAt = opened + http.sseHeartbeatMs;
  let controlAt = opened + http.longPollMs;
  let lifetimeAt = http.sseMaxLifetimeMs > 0 ? opened + http.sseMaxLifetimeMs : NEVER;
  let stalledAt = NEVER;
  /** `controlAt` was announced and its event is not sent yet, which a full buffer may delay at will */
  let announced = false;
  let closed = false;
  let cancel = arm();

  function arm(): () => void {
    // The stall is looked for whether or not the reader is blocked now, since blocking must not arm a timer.
    const next = Math.min(
      heartbeatAt,
      announced ? NEVER : controlAt,
      lifetimeAt,
      stalledAt,
      clock.now() + http.sseStallMs,
    );
    return clock.timer(next - clock.now(), fire);
  }

  function fire(): void {
    const now = clock.now();
    if (now >= heartbeatAt) {
      heartbeatAt = now + http.sseHeartbeatMs;
      events.heartbeat();
    }
    if (now >= controlAt && !announced) {
      announced = true;
      events.control();
    }
    if (now >= lifetimeAt) {
      lifetimeAt = NEVER;
      events.lifetime();
    }
    if (now >= stalledAt) events.stalled();
    if (!closed) cancel = arm();
  }

  return {
    get controlDue() {
      return announced;
    },
    controlSent() {
      announced = false;
      controlAt = clock.now() + http.longPollMs;
    },
    blocked() {
      stalledAt = Math.min(stalledAt, clock.now() + http.sseStallMs);
    },
    flowing() {
      stalledAt = NEVER;
    },
    close() {
      closed = true;
      cancel();
    },
  };
}
