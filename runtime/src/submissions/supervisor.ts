import type { ExecutionSettings } from '../contract/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { HostProbe } from '../ports/host.ts';
import {
  type Claim,
  type FlueStore,
  type OwnerRecord,
  STORE_FORMAT,
  type StoredOwner,
  type StoreFormat,
  type SubmissionKind,
} from '../ports/store.ts';
import { OwnershipLostError, PersistedFormatVersionError } from '../ports/store-errors.ts';

/**
 * Finds work for this process and keeps its claim to it alive.
 *
 * Owns: the process's owner row, the timers of beats and scans, and the set of attempts that run here.
 *
 * S1  A pass arms its successor before it does anything that can fail, and awaits only the store, never an attempt
 *     (OWN-17).
 * S2  `running` only limits concurrency and routes signals. What is recoverable is decided by rows alone (OWN-14).
 * S3  One claim pass runs at a time; a wish for another one during it is remembered, never lost.
 * S4  A claim is preceded by a beat that is younger than a heartbeat, so that what it takes is not already lapsed.
 */
export interface Supervisor {
  readonly ownerId: string;
  /** Beats once, judges the peers and claims what may be claimed; resolves when that work has started (STA-06). */
  boot(): Promise<void>;
  /** Something changed that may have made work runnable. */
  wake(): void;
  /**
   * A send of this process is on its way into the store. An idle instance's is claimed in the same transaction where
   * the store has one, so `admitted` has to follow in any case.
   */
  admitting(path: string): void;
  /** The store has it: an attempt that runs may take it in, and whoever runs nothing claims it. */
  admitted(path: string, admission: Admission): void;
  /** The attempt that this process runs for an instance. */
  attemptOf(path: string): RunningAttempt | undefined;
  /** Resolves at once while the last beat is fresh; else when a beat confirms ownership, and rejects if it is lost (OWN-07). */
  confirmOwnership(path: string, epoch: number): Promise<void>;
  /** Takes one of its own instances anew under a higher epoch, which fences the attempt that runs there (BUD-06). */
  reclaim(path: string, epoch: number): void;
  /**
   * Claims nothing more, lets attempts release or end within the budget, and gives up the owner row (SHD-01..04).
   * With `finish`, what is queued runs too, and what the budget does not suffice for settles `aborted` (SHD-05).
   */
  stop(budgetMs: number, o?: { readonly finish?: boolean }): Promise<void>;
}

export interface Admission {
  readonly submissionId: string;
  readonly kind: SubmissionKind;
}

/** How an attempt left its instance; `failed` is still this process's, to be claimed anew after a pause. */
export type Ending = 'idle' | 'work_left' | 'failed';

export interface RunningAttempt {
  readonly submissionId: string;
  readonly epoch: number;
  /** Never rejects. */
  readonly done: Promise<Ending>;
  /** An abort was stamped on the head, or on deliveries queued behind it. */
  aborted(submissionIds: readonly string[]): void;
  /** An admission came, from here or from another process: something may wait to join. */
  noticed(admission?: Admission): void;
  /** Whether it was told of an admission that it has not looked for: one may come when it has already ended. */
  hasMissed(): boolean;
  /** Whether its submission has its outcome, so that all that is left is to end. */
  hasSettled(): boolean;
  /** Looks whether another process stamped an abort on what is queued behind the head (ABT-06). */
  review(): void;
  /** Give the work back at the next turn boundary. */
  release(): void;
  /** Unwind now: the shutdown budget is half spent. No timer of the attempt stays armed. */
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
  /**
   * Told when this process starts to hold work, what waits to be taken anew included, and when it holds none: a host
   * stays alive meanwhile.
   */
  readonly busy: (busy: boolean) => void;
  /** Told once when a newer runtime has taken the store over: nothing more is claimed here (VER-05). */
  readonly outdated: () => void;
  /** Told once when this process gives its owner row up: whatever still runs here can record nothing any more. */
  readonly gone: () => void;
  readonly report: (operation: string, error: unknown) => void;
}

const IDLE_BEAT_MS = 30_000;
/** Pause before a failed attempt's instance is taken anew: this much for each attempt it has had. */
const PAUSE_MS = 100;
const PAUSE_MAX_MS = 5000;

/**
 * Attempts that begin in one turn of the event loop. Each of them folds, renders and writes before it waits for
 * anything, so a hundred at a boot would hold everything else up.
 */
const BEGUN_AT_ONCE = 8;

export function createSupervisor(ports: SupervisorPorts): Supervisor {
  const { store, clock, host, settings } = ports;
  const self: OwnerRecord = {
    ...host.describe(),
    ownerId: ports.ownerId,
    runtimeStart: clock.now(),
    agents: ports.agents,
  };
  const running = new Map<string, RunningAttempt>();
  /** own instances to take anew: their attempt failed, or has to be fenced */
  const anew = new Set<string>();
  /** the pauses before that, by path */
  const pauses = new Map<string, () => void>();
  let peers: readonly StoredOwner[] = [];
  let lastBeat = Number.NEGATIVE_INFINITY;
  let lastClaim = Number.NEGATIVE_INFINITY;
  let capacity = settings.concurrency;
  let stopping = false;
  let abandoning = false;
  let cancelBeat = () => {};
  let cancelScan = () => {};
  let unwatch = () => {};
  let onQuiet = () => {};
  let pass: Promise<void> | undefined;
  let wanted = false;
  /** a send has begun since the last claim */
  let isAdmitting = false;
  /** what was admitted during a pass, which may or may not have taken it: asked of `running` when it has ended */
  const admittedMeanwhile: { readonly path: string; readonly admission: Admission }[] = [];
  /** the last claim took all that the concurrency allowed, so more may wait */
  let starved = false;
  let changedElsewhere = true;
  let busy = false;

  async function beat(): Promise<void> {
    const started = clock.now();
    const hinted = changedElsewhere;
    // Before the call: a change during it is not what the answer tells of.
    changedElsewhere = false;
    const result = await store.beat(self, { leaseMs: settings.leaseMs }).catch((error: unknown) => {
      changedElsewhere = true;
      throw error;
    });
    lastBeat = started;
    peers = result.peers;
    for (const abort of result.aborts) running.get(abort.path)?.aborted([abort.submissionId]);
    if (hinted) for (const attempt of running.values()) attempt.review();
    if (result.self === 'retired') interruptAll('this process was retired.');
    if (result.format.minReader > STORE_FORMAT.format) giveWay(result.format);
  }

  /** What a newer runtime writes would be misread here, so the work goes to it at the next turn boundary (VER-05). */
  function giveWay({ minReader }: StoreFormat): void {
    if (stopping) return;
    stopping = true;
    cancelScan();
    const dev = 'A newer runtime has migrated the store. Deploy that version here too.';
    const supportedVersion = STORE_FORMAT.format;
    ports.report(
      'beat',
      new PersistedFormatVersionError({ storedVersion: minReader, supportedVersion, dev }),
    );
    ports.outdated();
    for (const attempt of running.values()) attempt.release();
  }

  function interruptAll(why: string): void {
    for (const attempt of running.values()) attempt.interrupt(new Error(`[flue] ${why}`));
  }

  function armBeat(): void {
    cancelBeat();
    cancelBeat = clock.timer(running.size > 0 ? settings.heartbeatMs : IDLE_BEAT_MS, () => {
      armBeat();
      beat().catch((error) => ports.report('beat', error));
    });
  }

  /**
   * The fallback poll: needed while others hold work that may become ours, after a hint of a change, and once in a
   * while for work that nobody serves any more (QUE-08).
   */
  function armScan(): void {
    cancelScan();
    if (stopping) return;
    cancelScan = clock.timer(settings.scanMs, () => {
      armScan();
      if (changedElsewhere || peers.length > 0 || clock.now() - lastClaim >= IDLE_BEAT_MS) wake();
    });
  }

  function wake(): void {
    wanted = true;
    if (running.size >= capacity) starved = true;
    if (!pass && !stopping) run(passes());
  }

  /** Holds the place of the one pass (S3) until it has ended. */
  function run(work: Promise<void>): Promise<void> {
    pass = work.finally(() => {
      pass = undefined;
      noticeAdmitted();
      if (wanted && hasRoom()) wake();
      tellQuiet();
    });
    return pass;
  }

  function noticeAdmitted(): void {
    for (const { path, admission } of admittedMeanwhile.splice(0)) notice(path, admission);
  }

  /** An attempt that was begun for this very admission has nothing to take in. */
  function notice(path: string, admission: Admission): void {
    const attempt = running.get(path);
    if (!attempt) wanted = true;
    else if (attempt.submissionId !== admission.submissionId) attempt.noticed(admission);
  }

  /** What the next claim may take: one that is to be fenced replaces its attempt and needs no place of its own (QUE-05). */
  function room(): { readonly paths: readonly string[]; readonly limit: number } {
    const free = Math.max(0, capacity - running.size);
    const fenced = [...anew].filter((path) => running.has(path));
    const retried = [...anew].filter((path) => !running.has(path)).slice(0, free);
    return { paths: [...fenced, ...retried], limit: free - retried.length };
  }

  function hasRoom(): boolean {
    const { paths, limit } = room();
    return paths.length + limit > 0;
  }

  async function passes(): Promise<void> {
    while (wanted && !stopping && hasRoom()) {
      wanted = false;
      try {
        const age = clock.now() - lastBeat;
        if (age >= settings.heartbeatMs || (changedElsewhere && age >= settings.scanMs)) await beat();
        if (!stopping) await claim();
      } catch (error) {
        // The scan tries again; a store that refuses writes claims nothing meanwhile (REC-14).
        changedElsewhere = true;
        ports.report('reconcile_pass', error);
        return;
      }
    }
  }

  async function claim(): Promise<void> {
    const judged = peers.map((owner) => ({ ownerId: owner.ownerId, verdict: judge(owner) }));
    const { paths, limit } = room();
    lastClaim = clock.now();
    const mayPrecedeTelling = isAdmitting;
    isAdmitting = false;
    const claims = await store.claim(self.ownerId, {
      agents: self.agents,
      limit,
      dead: judged.filter((peer) => peer.verdict === 'dead').map((peer) => peer.ownerId),
      alive: judged.filter((peer) => peer.verdict === 'alive').map((peer) => peer.ownerId),
      hungOwnerMs: settings.hungOwnerMs,
      ...(paths.length > 0 && { paths }),
    });
    starved = claims.filter((one) => !paths.includes(one.path)).length === limit || anew.size > paths.length;
    if (starved) wanted = true;
    // What one transaction admits and claims is told as queued before it is told as running (EVT-02).
    if (mayPrecedeTelling && claims.length > 0) await nextTurn();
    // What was asked for and did not come is settled, or another's.
    for (const path of paths) anew.delete(path);
    for (const [index, one] of claims.entries()) {
      if (index > 0 && index % BEGUN_AT_ONCE === 0) await nextTurn();
      begin(one);
    }
    // At once, so that what came with a head is known at its first boundary.
    noticeAdmitted();
    tellBusy();
    if (abandoning) await abortRunning(claims.map((one) => one.path));
  }

  function judge(owner: StoredOwner): 'dead' | 'alive' | 'unproven' {
    return owner.state === 'stopped' ? 'dead' : host.judge(owner);
  }

  function tellBusy(): void {
    const now = running.size + pauses.size + anew.size > 0;
    if (now === busy) return;
    busy = now;
    ports.busy(now);
  }

  function begin(claimed: Claim): void {
    const { path } = claimed;
    const idle = running.size === 0;
    const attempt = ports.start(claimed);
    anew.delete(path);
    pauses.get(path)?.();
    pauses.delete(path);
    running.set(path, attempt);
    if (idle) armBeat();
    tellBusy();
    void attempt.done.then((ending) => {
      if (running.get(path) !== attempt) return;
      running.delete(path);
      if (ending === 'failed' && !stopping) retryLater(path, claimed.row.attempts);
      tellBusy();
      if (starved || ending === 'work_left' || attempt.hasMissed()) wake();
      tellQuiet();
    });
  }

  /** Nobody else takes the work of a live owner. The claim counts, which bounds a failure that lasts (REC-02). */
  function retryLater(path: string, attempts: number): void {
    const cancel = clock.timer(Math.min(PAUSE_MS * attempts, PAUSE_MAX_MS), () => {
      pauses.delete(path);
      anew.add(path);
      wake();
    });
    pauses.set(path, cancel);
  }

  function isQuiet(): boolean {
    const nothingRuns = running.size === 0 && !pass;
    return nothingRuns && (stopping || (!wanted && pauses.size === 0 && anew.size === 0));
  }

  function tellQuiet(): void {
    if (isQuiet()) onQuiet();
  }

  /** Resolves with whether nothing ran or waited within `ms`. */
  async function quietWithin(ms: number): Promise<boolean> {
    if (isQuiet() || ms <= 0) return isQuiet();
    const enough = new AbortController();
    const quiet = new Promise<void>((resolve) => {
      onQuiet = resolve;
    });
    await Promise.race([quiet, clock.sleep(ms, enough.signal).catch(() => {})]);
    enough.abort();
    return isQuiet();
  }

  /** SHD-05: nothing outlives this store, so what cannot be finished is told so, and nobody waits for it in vain. */
  async function finishOrAbort(budgetMs: number): Promise<void> {
    const tail = Math.min(settings.settleGraceMs, budgetMs / 2);
    wake();
    if (await quietWithin(budgetMs - tail)) return;
    abandoning = true;
    // Claimed to be aborted, heads run nothing, so they need not wait for a place.
    capacity = 10_000;
    for (const [path, cancel] of pauses) {
      cancel();
      anew.add(path);
    }
    pauses.clear();
    await abortRunning([...running.keys()]);
    wake();
    if (await quietWithin(tail / 2)) return;
    // What does not unwind is settled over (ABT-07).
    for (const path of running.keys()) anew.add(path);
    wake();
    await quietWithin(tail / 2);
  }

  async function abortRunning(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const { affected } = await store.abort(path);
      running.get(path)?.aborted(affected);
    }
  }

  return {
    ownerId: self.ownerId,
    boot() {
      armBeat();
      armScan();
      unwatch = store.watch((hint) => {
        if (hint !== 'any') return;
        // A change of another process; this process's own ones call wake() and noticed() themselves.
        changedElsewhere = true;
        for (const attempt of running.values()) attempt.noticed();
        wake();
      });
      return run(beat().then(() => (stopping ? undefined : claim())));
    },
    wake,
    admitting(path) {
      isAdmitting = true;
      const attempt = running.get(path);
      // Whoever hears of a settlement may send again before the attempt has ended; the instance is free by then.
      if (!attempt || attempt.hasSettled()) wake();
    },
    admitted(path, admission) {
      if (pass && !running.has(path)) {
        admittedMeanwhile.push({ path, admission });
        return;
      }
      notice(path, admission);
      if (wanted) wake();
    },
    attemptOf: (path) => running.get(path),
    async confirmOwnership(path, epoch) {
      if (clock.now() - lastBeat < settings.leaseMs) return;
      await beat();
      const instance = (await store.load(path))?.instance;
      if (instance?.ownerId !== self.ownerId || instance.epoch !== epoch)
        throw new OwnershipLostError({ path, epoch });
    },
    reclaim(path, epoch) {
      if (running.get(path)?.epoch !== epoch) return;
      anew.add(path);
      wake();
    },
    async stop(budgetMs, { finish = false } = {}) {
      try {
        if (finish) await finishOrAbort(budgetMs).catch((error) => ports.report('stop', error));
        stopping = true;
        cancelScan();
        for (const cancel of pauses.values()) cancel();
        await pass;
        for (const attempt of running.values()) attempt.release();
        if (!finish && !(await quietWithin(budgetMs / 2))) {
          interruptAll('the process is stopping.');
          await quietWithin(budgetMs / 2);
        }
      } finally {
        // Whatever did not unwind holds no timer any more, and does not keep the process alive.
        interruptAll('the process has stopped.');
        ports.gone();
        if (busy) ports.busy(false);
        cancelBeat();
        unwatch();
        await store.beat(self, { leaseMs: settings.leaseMs, retire: [{ ownerId: self.ownerId }] });
      }
    },
  };
}

/** Of the event loop: what waits for the same commit has gone on by then. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
