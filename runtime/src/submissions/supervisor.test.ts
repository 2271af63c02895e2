import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFile, turns, until } from '../app/runtime.test.support.ts';
import { EXECUTION_FIELDS, type ExecutionSettings } from '../contract/limits.ts';
import type { HostProbe } from '../ports/host.ts';
import type { Claim, FlueStore, OwnerRecord, PersistenceAdapter } from '../ports/store.ts';
import { PersistenceError } from '../ports/store-errors.ts';
import { type FakeClock, fakeClock } from '../testing/fake-clock.ts';
import { admission, commit } from '../testing/store-contract/givens.ts';
import { createSupervisor, type Ending, type RunningAttempt } from './supervisor.ts';

const DEFAULTS = Object.fromEntries(
  Object.entries(EXECUTION_FIELDS).map(([field, { default: value }]) => [field, value]),
) as ExecutionSettings;

/** The clock of the store, which judges leases, and of every process that shares it. */
let clock: FakeClock;
let file: ReturnType<typeof temporaryFile>;
const adapters: PersistenceAdapter[] = [];

beforeEach(() => {
  clock = fakeClock(1_000_000);
  file = temporaryFile();
});
afterEach(async () => {
  for (const adapter of adapters.splice(0)) await adapter.close?.();
  file.remove();
});

async function connect(): Promise<FlueStore> {
  const adapter = file.adapter(clock);
  adapters.push(adapter);
  return adapter.connect();
}

/** An attempt in the hands of the test. */
interface HandAttempt {
  readonly claim: Claim;
  readonly told: string[];
  end(ending: Ending): Promise<void>;
  /** settles the head in the store */
  settle(): Promise<void>;
  /** settles the head in the store and ends */
  finish(): Promise<void>;
}

interface ProcessOptions {
  readonly ownerId: string;
  readonly agents?: readonly string[];
  readonly judge?: HostProbe['judge'];
  readonly settings?: Partial<ExecutionSettings>;
  readonly own?: FakeClock;
}

/** A process with a connection of its own to the one database file; its attempts are driven by hand. */
async function process(o: ProcessOptions) {
  const store = await connect();
  const attempts: HandAttempt[] = [];
  const reports: string[] = [];
  const calls = { beat: 0, claim: 0 };
  const fails = { claim: false, beat: false };
  let busy = false;
  const watched: FlueStore = {
    ...store,
    async beat(self: OwnerRecord, options) {
      calls.beat += 1;
      if (fails.beat) throw new PersistenceError({ reason: 'full' });
      return store.beat(self, options);
    },
    async claim(ownerId, options) {
      calls.claim += 1;
      if (fails.claim) throw new PersistenceError({ reason: 'full' });
      return store.claim(ownerId, options);
    },
  };
  const supervisor = createSupervisor({
    store: watched,
    clock: o.own ?? clock,
    host: { describe: () => ({}), judge: o.judge ?? (() => 'unproven') },
    ownerId: o.ownerId,
    agents: o.agents ?? ['orders'],
    settings: { ...DEFAULTS, ...o.settings },
    start: (claim) => begin(claim),
    busy: (value) => {
      busy = value;
    },
    outdated: () => reports.push('outdated'),
    gone: () => {},
    report: (operation) => reports.push(operation),
  });
  function begin(claim: Claim): RunningAttempt {
    let resolve: (ending: Ending) => void = () => {};
    const done = new Promise<Ending>((settled) => {
      resolve = settled;
    });
    const told: string[] = [];
    const end = async (ending: Ending) => {
      resolve(ending);
      await turns(5);
    };
    const settle = async () => {
      const { submissionId } = claim.row;
      const fence = { path: claim.path, ownerId: o.ownerId, epoch: claim.epoch };
      await store.commit(fence, commit(1, { rows: [{ submissionId, to: 'settled', outcome: 'completed' }] }));
    };
    attempts.push({
      claim,
      told,
      end,
      settle,
      async finish() {
        await settle();
        await end('idle');
      },
    });
    return {
      submissionId: claim.row.submissionId,
      epoch: claim.epoch,
      done,
      aborted: (ids) => void told.push(`aborted ${ids.join(' ')}`),
      noticed: (admission) => void told.push(`noticed ${admission?.submissionId ?? 'something'}`),
      hasSettled: () => false,
      hasMissed: () => told.some((one) => one.startsWith('noticed')),
      review: () => void told.push('review'),
      release: () => void told.push('release'),
      interrupt: () => void told.push('interrupt'),
    };
  }
  const admit = async (id: string, agent = 'orders', more = {}) => {
    await store.admit(admission({ submissionId: `sub_${id}`, path: `agents/${agent}/${id}`, ...more }));
  };
  return {
    store,
    supervisor,
    attempts,
    reports,
    calls,
    fails,
    admit,
    get busy() {
      return busy;
    },
    heads: () => attempts.map((attempt) => attempt.claim.row.submissionId),
  };
}

describe('the life of an owner row', () => {
  it('is beaten every 30 s while idle and every heartbeat while work is held (OWN-06)', async () => {
    const one = await process({ ownerId: 'A' });
    await one.supervisor.boot();
    await clock.advance(29_000);
    expect(one.calls.beat).toBe(1);
    await clock.advance(1500);
    expect(one.calls.beat).toBe(2);
    await one.admit('a');
    one.supervisor.wake();
    await until(() => one.attempts.length === 1);
    const before = one.calls.beat;
    await clock.advance(5000);
    expect(one.calls.beat - before).toBe(5);
    await one.supervisor.stop(0);
    expect(one.attempts[0]!.told).toContain('interrupt');
  });

  it('is fresh when an idle process takes work, so that nobody takes it right away (OWN-06, OWN-11)', async () => {
    const one = await process({ ownerId: 'A' });
    await one.supervisor.boot();
    await clock.advance(20_000);
    await one.admit('a');
    one.supervisor.wake();
    await until(() => one.attempts.length === 1);
    const two = await process({ ownerId: 'B' });
    await two.supervisor.boot();
    expect(two.attempts).toEqual([]);
  });

  it('is beaten while an attempt hangs and after a beat that failed (OWN-17, FLT-08)', async () => {
    const one = await process({ ownerId: 'A' });
    await one.admit('a');
    await one.supervisor.boot();
    one.fails.beat = true;
    await clock.advance(1000);
    expect(one.reports).toContain('beat');
    one.fails.beat = false;
    const before = one.calls.beat;
    await clock.advance(3000);
    expect(one.calls.beat - before).toBeGreaterThanOrEqual(3);
  });

  it('confirms ownership at once while fresh, by a beat when lapsed, and tells when it is lost (OWN-07)', async () => {
    const own = fakeClock(clock.now());
    const one = await process({ ownerId: 'A', own });
    await one.admit('a');
    await one.supervisor.boot();
    const { path, epoch } = one.attempts[0]!.claim;
    await one.supervisor.confirmOwnership(path, epoch);
    expect(one.calls.beat).toBe(1);
    // Its own timers stand still while the world goes on, as in a long stall.
    await clock.advance(60_000);
    const two = await process({ ownerId: 'B' });
    await two.supervisor.boot();
    expect(two.heads()).toEqual(['sub_a']);
    one.fails.beat = true;
    await own.advance(5000);
    await expect(one.supervisor.confirmOwnership(path, epoch)).rejects.toMatchObject({
      type: 'persistence_failure',
    });
    one.fails.beat = false;
    await expect(one.supervisor.confirmOwnership(path, epoch)).rejects.toMatchObject({
      type: 'ownership_lost',
    });
  });
});

describe('work of another owner', () => {
  /** A process that took one instance and then fell silent. */
  async function silentOwner() {
    const one = await process({ ownerId: 'A', own: fakeClock(clock.now()) });
    await one.admit('a');
    await one.supervisor.boot();
    expect(one.heads()).toEqual(['sub_a']);
  }

  it('is taken at boot when the owner is proven dead, whatever its lease says (OWN-09, OWN-10, STA-06)', async () => {
    await silentOwner();
    const two = await process({ ownerId: 'B', judge: () => 'dead' });
    await two.supervisor.boot();
    expect(two.heads()).toEqual(['sub_a']);
    expect(two.attempts[0]!.claim.previous).toEqual({ reason: 'dead', ownerId: 'A' });
    expect(two.busy).toBe(true);
  });

  it('is fenced by its epoch alone where the platform has one live object for each instance (OWN-16)', async () => {
    // Such a platform knows that a predecessor is gone, so that no lease has to lapse and none is ever waited for.
    const own = (ownerId: string) =>
      process({ ownerId, judge: () => 'dead', settings: { leaseMs: 3_600_000 } });
    const first = await own('A');
    await first.admit('a');
    await first.supervisor.boot();
    const second = await own('B');
    await second.supervisor.boot();
    expect([first, second].map(({ attempts }) => attempts[0]!.claim.epoch)).toEqual([1, 2]);
    await expect(first.attempts[0]!.finish()).rejects.toMatchObject({ type: 'ownership_lost' });
    await second.attempts[0]!.finish();
    expect(await second.store.submission('sub_a')).toMatchObject({ status: 'settled', attempts: 2 });
  });

  it('is taken within lease and scan when nothing is proven (OWN-11)', async () => {
    await silentOwner();
    const two = await process({ ownerId: 'B' });
    await two.supervisor.boot();
    await clock.advance(4900);
    expect(two.attempts).toEqual([]);
    await clock.advance(600);
    await until(() => two.attempts.length === 1);
    expect(two.attempts[0]!.claim.previous.reason).toBe('expired');
  });

  it('is left to an owner proven alive until it has been silent too long (OWN-12)', async () => {
    await silentOwner();
    const two = await process({ ownerId: 'B', judge: () => 'alive' });
    await two.supervisor.boot();
    await clock.advance(29_000);
    expect(two.attempts).toEqual([]);
    await clock.advance(1600);
    await until(() => two.attempts.length === 1);
    expect(two.attempts[0]!.claim.previous.reason).toBe('hung');
  });

  it('comes back to a process whose earlier attempt there never ended (OWN-14, PC-041)', async () => {
    const one = await process({ ownerId: 'A', own: fakeClock(clock.now()) });
    await one.admit('a');
    await one.supervisor.boot();
    const two = await process({ ownerId: 'B', judge: () => 'dead' });
    await two.supervisor.boot();
    await two.attempts[0]!.finish();
    await two.supervisor.stop(0);

    await one.admit('a', 'orders', { submissionId: 'sub_next' });
    one.supervisor.wake();
    await until(() => one.attempts.length === 2);
    expect(one.heads()).toEqual(['sub_a', 'sub_next']);
    expect(one.supervisor.attemptOf('agents/orders/a')?.epoch).toBe(3);
  });

  it('whose agent nobody serves is taken by an idle process once its time is up (QUE-07, QUE-08, FLT-22)', async () => {
    const one = await process({ ownerId: 'A' });
    await one.supervisor.boot();
    const acceptedAt = new Date(clock.now()).toISOString();
    await one.admit('x', 'retired', { timeoutMs: 60_000, acceptedAt });
    one.supervisor.wake();
    await turns(10);
    await clock.advance(59_000);
    expect(one.attempts).toEqual([]);
    await clock.advance(31_000);
    expect(one.heads()).toEqual(['sub_x']);
  });
});

describe('the queue', () => {
  it('starts an idle instance with no wait of its own (QUE-06)', async () => {
    const one = await process({ ownerId: 'A' });
    await one.supervisor.boot();
    await one.admit('a');
    one.supervisor.wake();
    await turns(5);
    expect(one.heads()).toEqual(['sub_a']);
  });

  it('takes waiting heads oldest first, and no more than the cap, at boot as later (QUE-05)', async () => {
    const one = await process({ ownerId: 'A', settings: { concurrency: 2 } });
    for (const id of ['a', 'b', 'c', 'd']) await one.admit(id);
    const booted = one.supervisor.boot();
    one.supervisor.wake();
    await booted;
    await turns(10);
    expect(one.heads()).toEqual(['sub_a', 'sub_b']);
    await one.attempts[1]!.finish();
    await until(() => one.attempts.length === 3);
    expect(one.heads().at(-1)).toBe('sub_c');
    await turns(10);
    expect(one.attempts).toHaveLength(3);
  });

  it('tries again after a pass that failed, and reports it (REC-14, OWN-17)', async () => {
    const one = await process({ ownerId: 'A' });
    await one.supervisor.boot();
    await one.admit('a');
    one.fails.claim = true;
    one.supervisor.wake();
    await turns(5);
    expect(one.reports).toEqual(['reconcile_pass']);
    one.fails.claim = false;
    await clock.advance(500);
    await until(() => one.attempts.length === 1);
  });
});

describe('a send of this process', () => {
  const path = 'agents/orders/a';
  const sent = (id: string) => ({ submissionId: `sub_${id}`, kind: 'dispatch' as const });

  it('is claimed in the transaction that admits it, and not looked for again (QUE-06, SQL-05)', async () => {
    const one = await process({ ownerId: 'A' });
    await one.supervisor.boot();
    const before = one.calls.claim;
    const admission = one.admit('a');
    one.supervisor.admitting(path);
    await admission;
    one.supervisor.admitted(path, sent('a'));
    await until(() => one.attempts.length === 1);
    await turns(10);
    expect(one.calls.claim - before).toBe(1);
    expect(one.attempts[0]!.told).toEqual([]);
  });

  it('is claimed by the next pass when it reached the store too late for its own (QUE-06)', async () => {
    const one = await process({ ownerId: 'A' });
    await one.supervisor.boot();
    const before = one.calls.claim;
    one.supervisor.admitting(path);
    await one.admit('a');
    one.supervisor.admitted(path, sent('a'));
    await until(() => one.attempts.length === 1);
    expect(one.calls.claim - before).toBe(2);
    expect(one.heads()).toEqual(['sub_a']);
  });

  it('to an instance at work is told to its attempt and claims nothing (JOI-02)', async () => {
    const one = await process({ ownerId: 'A' });
    await one.admit('a');
    await one.supervisor.boot();
    const before = one.calls.claim;
    one.supervisor.admitting(path);
    await one.admit('a', 'orders', { submissionId: 'sub_b' });
    one.supervisor.admitted(path, sent('b'));
    await turns(10);
    expect(one.attempts[0]!.told).toEqual(['noticed sub_b']);
    expect(one.calls.claim).toBe(before);
  });

  it('that reaches an attempt which has just ended is claimed at once (JOI-02)', async () => {
    const one = await process({ ownerId: 'A' });
    await one.admit('a');
    await one.supervisor.boot();
    await one.attempts[0]!.settle();
    one.supervisor.admitting(path);
    await one.admit('a', 'orders', { submissionId: 'sub_b' });
    const ended = one.attempts[0]!.end('idle');
    one.supervisor.admitted(path, sent('b'));
    await ended;
    await until(() => one.attempts.length === 2);
    expect(one.heads()).toEqual(['sub_a', 'sub_b']);
  });

  it('that came while another one of its instance was being claimed is told to that attempt (JOI-02)', async () => {
    const one = await process({ ownerId: 'A' });
    await one.supervisor.boot();
    const first = one.admit('a');
    one.supervisor.admitting(path);
    const second = one.admit('a', 'orders', { submissionId: 'sub_b' });
    await Promise.all([first, second]);
    one.supervisor.admitted(path, sent('a'));
    one.supervisor.admitted(path, sent('b'));
    await until(() => one.attempts.length === 1);
    expect(one.heads()).toEqual(['sub_a']);
    expect(one.attempts[0]!.told).toEqual(['noticed sub_b']);
  });
});

describe('an own instance that is taken anew', () => {
  it('follows a failed attempt after a pause, even if the store refuses meanwhile (REC-02, OWN-14, FLT-02)', async () => {
    const one = await process({ ownerId: 'A' });
    await one.admit('a');
    await one.supervisor.boot();
    await one.attempts[0]!.end('failed');
    // The timer of the pause holds no process alive.
    expect(one.busy).toBe(true);
    one.fails.claim = true;
    await clock.advance(100);
    expect(one.reports).toEqual(['reconcile_pass']);
    expect(one.busy).toBe(true);
    one.fails.claim = false;
    await clock.advance(500);
    await until(() => one.attempts.length === 2);
    expect(one.attempts[1]!.claim).toMatchObject({ epoch: 2, previous: { reason: 'self' } });
    expect(one.attempts[1]!.claim.row.attempts).toBe(2);
    await one.attempts[1]!.finish();
    expect(one.busy).toBe(false);
  });

  it('fences a hung attempt although the cap is reached, and only that epoch (BUD-06, OWN-15)', async () => {
    const one = await process({ ownerId: 'A', settings: { concurrency: 1 } });
    await one.admit('a');
    await one.admit('b');
    await one.supervisor.boot();
    const { path, epoch } = one.attempts[0]!.claim;
    one.supervisor.reclaim(path, epoch + 1);
    await turns(5);
    expect(one.attempts).toHaveLength(1);
    one.supervisor.reclaim(path, epoch);
    await until(() => one.attempts.length === 2);
    expect(one.attempts[1]!.claim).toMatchObject({ path, epoch: epoch + 1 });
    // What the fenced attempt ends with changes nothing for its successor.
    await one.attempts[0]!.end('work_left');
    expect(one.supervisor.attemptOf(path)?.epoch).toBe(epoch + 1);
    expect(one.attempts).toHaveLength(2);
  });
});

describe('a stop', () => {
  it('asks for release, beats on, interrupts at half of the budget and gives up its row in the end (SHD-01, SHD-03, SHD-04, STA-07)', async () => {
    const one = await process({ ownerId: 'A' });
    await one.admit('a');
    await one.supervisor.boot();
    const { told } = one.attempts[0]!;
    const before = one.calls.beat;
    const stopped = one.supervisor.stop(10_000);
    await turns(3);
    expect(told).toEqual(['release']);
    await one.admit('b');
    one.supervisor.wake();
    await clock.advance(4900);
    expect(told).toEqual(['release']);
    expect(one.calls.beat - before).toBeGreaterThanOrEqual(4);
    await clock.advance(100);
    expect(told).toEqual(['release', 'interrupt']);
    await clock.advance(5000);
    await stopped;
    expect(one.heads()).toEqual(['sub_a']);
    expect(one.busy).toBe(false);
    expect(clock.pending).toBe(0);
    // The successor need not wait for any lease, although the attempt never unwound.
    const two = await process({ ownerId: 'B' });
    await two.supervisor.boot();
    expect(two.heads().sort()).toEqual(['sub_a', 'sub_b']);
  });

  it('ends as soon as everything has ended, and forgets what it would have tried again (STA-07)', async () => {
    const one = await process({ ownerId: 'A' });
    await one.admit('a');
    await one.admit('b');
    await one.supervisor.boot();
    await one.attempts[0]!.end('failed');
    const stopped = one.supervisor.stop(10_000);
    await turns(3);
    await one.attempts[1]!.finish();
    await stopped;
    expect(clock.pending).toBe(0);
  });
});

describe('a stop that has to finish everything', () => {
  it('aborts what is left, past the cap, and settles over what does not unwind (SHD-05, ABT-07)', async () => {
    const one = await process({ ownerId: 'A', settings: { concurrency: 1 } });
    await one.admit('a');
    await one.admit('b');
    await one.supervisor.boot();
    const stopped = one.supervisor.stop(4000, { finish: true });
    await clock.advance(1900);
    expect(one.attempts[0]!.told).toEqual([]);
    await clock.advance(100);
    await until(() => one.attempts.length === 2);
    await turns(5);
    expect(one.attempts[0]!.told).toContain('aborted sub_a');
    expect(one.attempts[1]!.told).toContain('aborted sub_b');
    await one.attempts[1]!.finish();
    await clock.advance(1000);
    await until(() => one.attempts.length === 3);
    expect(one.attempts[2]!.claim).toMatchObject({ epoch: 2, row: { submissionId: 'sub_a' } });
    await one.attempts[2]!.finish();
    await stopped;
    expect(clock.pending).toBe(0);
  });
});

describe('an abort', () => {
  it('of another process reaches the attempt with the next beat (ABT-02)', async () => {
    const one = await process({ ownerId: 'A' });
    await one.admit('a');
    await one.supervisor.boot();
    const other = await connect();
    await other.abort('agents/orders/a');
    await clock.advance(1000);
    expect(one.attempts[0]!.told).toContain('aborted sub_a');
  });
});

describe('a boot on a backlog', () => {
  it('leaves the event loop its turns, and ends when all that it may claim has begun (STA-06, QUE-05)', async () => {
    const one = await process({ ownerId: 'A', settings: { concurrency: 20 } });
    for (let index = 10; index < 40; index++) await one.admit(String(index));
    const seen = new Set<number>();
    let booting = true;
    const look = () => {
      seen.add(one.attempts.length);
      if (booting) setImmediate(look);
    };
    setImmediate(look);
    await one.supervisor.boot();
    booting = false;
    expect(one.attempts).toHaveLength(20);
    expect([...seen].sort((a, b) => a - b)).toEqual([0, 8, 16]);
    expect(one.heads()[19]).toBe('sub_29');
  });
});

describe('a store that a newer runtime has taken over', () => {
  it('gets its work back at the next boundary and no claim any more (VER-05)', async () => {
    const one = await process({ ownerId: 'A' });
    await one.admit('a');
    await one.supervisor.boot();
    expect(one.heads()).toEqual(['sub_a']);
    migrateElsewhere();
    await clock.advance(1000);
    await until(() => one.reports.length > 0);
    expect(one.reports).toEqual(['beat', 'outdated']);
    expect(one.attempts[0]!.told).toEqual(['release']);

    await one.admit('b');
    one.supervisor.wake();
    await clock.advance(40_000);
    await one.attempts[0]!.finish();
    expect(one.heads()).toEqual(['sub_a']);
    expect(one.reports).toEqual(['beat', 'outdated']);
    await one.supervisor.stop(1000);
    expect(clock.pending).toBe(0);
  });

  function migrateElsewhere(): void {
    const db = new Database(file.path);
    db.exec("UPDATE flue_meta SET value = '2' WHERE name IN ('format', 'min_reader')");
    db.close();
  }
});
