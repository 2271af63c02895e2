import type { ExecutionSettings } from '../contract/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { HostProbe } from '../ports/host.ts';
import type { Claim, FlueStore, OwnerRecord, StoredOwner, SubmissionKind } from '../ports/store.ts';

/**
 * Finds work for this process and keeps its claim to it alive.
 *
 * Owns: the process's owner row, the timers of beats and scans, and the set of attempts that run here.
 *
 * S1  A pass arms its successor before it does anything that can fail, and awaits only the store, never an attempt
 *     (OWN-17).
 * S2  `running` only limits concurrency and routes signals. What is recoverable is decided by rows alone (OWN-14).
 * S3  One claim pass runs at a time; a wish for another one during it is remembered, never lost.
 */
export interface Supervisor {
  readonly ownerId: string;
  /** Beats once, judges the peers and claims what may be claimed; resolves when that work has started (STA-06). */
  boot(): Promise<void>;
  /** Something changed that may have made work runnable. */
  wake(): void;
  /** The attempt that this process runs for an instance. */
  attemptOf(path: string): RunningAttempt | undefined;
  /** Resolves at once while the last beat is fresh; else when a beat confirms ownership (OWN-07). */
  confirmOwnership(): Promise<void>;
  /** Takes one of its own instances anew under a higher epoch, which fences the attempt that runs there (BUD-06). */
  reclaim(path: string): Promise<void>;
  /** Refuses new work, lets attempts release or end within the budget, and gives up the owner row (SHD-01..04). */
  stop(budgetMs: number): Promise<void>;
}

export interface RunningAttempt {
  readonly submissionId: string;
  readonly epoch: number;
  /** Never rejects. */
  readonly done: Promise<void>;
  /** whether something of its instance is left to claim, as far as the attempt knows */
  leavesWork(): boolean;
  /** An abort was stamped on the head, or on deliveries queued behind it. */
  aborted(submissionIds: readonly string[]): void;
  /** An admission came, from here or from another process: something may wait to join. */
  noticed(admission?: { readonly submissionId: string; readonly kind: SubmissionKind }): void;
  /** Give the work back at the next turn boundary. */
  release(): void;
  /** Unwind now: the shutdown budget is half spent. */
  interrupt(reason: unknown): void;
}

export interface SupervisorPorts {
  readonly store: FlueStore;
  readonly clock: Clock;
  readonly host: HostProbe;
  readonly ownerId: string;
  readonly agents: readonly string[];
  readonly settings: ExecutionSettings;
  readonly start: (claim: Claim) => RunningAttempt;
  /** Told when this process starts to hold work and when it holds none, so that a host can stay alive meanwhile. */
  readonly busy: (busy: boolean) => void;
  readonly report: (operation: string, error: unknown) => void;
}

const IDLE_BEAT_MS = 30_000;

export function createSupervisor(ports: SupervisorPorts): Supervisor {
  const { store, clock, host, settings } = ports;
  const self: OwnerRecord = {
    ...host.describe(),
    ownerId: ports.ownerId,
    runtimeStart: clock.now(),
    agents: ports.agents,
  };
  const running = new Map<string, RunningAttempt>();
  let peers: readonly StoredOwner[] = [];
  let lastBeat = Number.NEGATIVE_INFINITY;
  let stopping = false;
  let cancelBeat = () => {};
  let cancelScan = () => {};
  let unwatch = () => {};
  let pass: Promise<void> | undefined;
  let wanted = false;
  /** the last claim took all that the concurrency allowed, so more may wait */
  let starved = false;
  let changedElsewhere = true;

  async function beat(): Promise<void> {
    const started = clock.now();
    const result = await store.beat(self, { leaseMs: settings.leaseMs });
    lastBeat = started;
    peers = result.peers;
    changedElsewhere = false;
    for (const abort of result.aborts) running.get(abort.path)?.aborted([abort.submissionId]);
    if (result.self === 'retired') {
      for (const attempt of running.values())
        attempt.interrupt(new Error('[flue] this process was retired.'));
    }
  }

  function armBeat(): void {
    cancelBeat();
    if (stopping) return;
    const period = running.size > 0 ? settings.heartbeatMs : IDLE_BEAT_MS;
    cancelBeat = clock.timer(period, () => {
      armBeat();
      beat().catch((error) => ports.report('beat', error));
    });
  }

  /** The fallback poll: needed while others hold work that may become ours, or a hint told of a change. */
  function armScan(): void {
    cancelScan();
    if (stopping) return;
    cancelScan = clock.timer(settings.scanMs, () => {
      armScan();
      if (changedElsewhere || peers.length > 0) wake();
    });
  }

  function wake(): void {
    wanted = true;
    if (running.size >= settings.concurrency) starved = true;
    if (!pass && !stopping) {
      pass = passes().finally(() => {
        pass = undefined;
        if (wanted && !stopping && running.size < settings.concurrency) wake();
      });
    }
  }

  async function passes(): Promise<void> {
    while (wanted && !stopping && running.size < settings.concurrency) {
      wanted = false;
      try {
        if (changedElsewhere && clock.now() - lastBeat >= settings.scanMs) await beat();
        await claim();
      } catch (error) {
        // The scan tries again; a store that refuses writes claims nothing meanwhile (REC-14).
        changedElsewhere = true;
        ports.report('reconcile_pass', error);
        return;
      }
    }
  }

  async function claim(paths?: readonly string[]): Promise<void> {
    const judged = peers.map((owner) => ({ ownerId: owner.ownerId, verdict: judge(owner) }));
    const limit = paths ? 0 : settings.concurrency - running.size;
    const claims = await store.claim(self.ownerId, {
      agents: self.agents,
      limit,
      dead: judged.filter((peer) => peer.verdict === 'dead').map((peer) => peer.ownerId),
      alive: judged.filter((peer) => peer.verdict === 'alive').map((peer) => peer.ownerId),
      hungOwnerMs: settings.hungOwnerMs,
      ...(paths && { paths }),
    });
    for (const one of claims) begin(one);
    if (paths) return;
    starved = claims.length === limit;
    if (starved) wanted = true;
  }

  function judge(owner: StoredOwner): 'dead' | 'alive' | 'unproven' {
    return owner.state === 'stopped' ? 'dead' : host.judge(owner);
  }

  function begin(claimed: Claim): void {
    const idle = running.size === 0;
    const attempt = ports.start(claimed);
    running.set(claimed.path, attempt);
    if (idle) {
      armBeat();
      ports.busy(true);
    }
    void attempt.done.then(() => {
      if (running.get(claimed.path) === attempt) running.delete(claimed.path);
      if (running.size === 0) ports.busy(false);
      if (starved || attempt.leavesWork()) wake();
    });
  }

  /** Waits for the attempts within the budget; the second half of it is for unwinding (SHD-03). */
  async function allEnded(budgetMs: number): Promise<void> {
    const enough = new AbortController();
    const cancelInterrupt = clock.timer(budgetMs / 2, () => {
      for (const attempt of running.values()) attempt.interrupt(new Error('[flue] the process is stopping.'));
    });
    const ended = Promise.all([...running.values()].map((attempt) => attempt.done));
    await Promise.race([ended, clock.sleep(budgetMs, enough.signal).catch(() => {})]);
    enough.abort();
    cancelInterrupt();
  }

  return {
    ownerId: self.ownerId,
    async boot() {
      armBeat();
      armScan();
      unwatch = store.watch((hint) => {
        if (hint !== 'any') return;
        // A change of another process; this process's own ones call wake() and noticed() themselves.
        changedElsewhere = true;
        for (const attempt of running.values()) attempt.noticed();
        wake();
      });
      await beat();
      await claim();
    },
    wake,
    attemptOf: (path) => running.get(path),
    async confirmOwnership() {
      if (clock.now() - lastBeat < settings.leaseMs) return;
      await beat();
    },
    reclaim: (path) => claim([path]),
    async stop(budgetMs) {
      stopping = true;
      cancelScan();
      await pass;
      for (const attempt of running.values()) attempt.release();
      await allEnded(budgetMs);
      cancelBeat();
      unwatch();
      await store.beat(self, { leaseMs: settings.leaseMs, retire: [{ ownerId: self.ownerId }] });
    },
  };
}
