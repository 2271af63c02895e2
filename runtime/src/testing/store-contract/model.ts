import type { Commit, Fence, FlueStore, Outcome, RowChange } from '../../ports/store.ts';
import { admission, body, claimOptions, commit, owner } from './givens.ts';
import { createModelStore } from './model-store.ts';
import type { Suite } from './target.ts';

const AGENTS = ['orders', 'refunds'];
const PATHS = ['agents/orders/1', 'agents/orders/2', 'agents/refunds/1'];
const OWNERS = 6;
const OUTCOMES: readonly Outcome[] = ['completed', 'failed', 'aborted'];
const SEED = 20_260_101;

/** CTS-14: the same random operations on the store, over two connections in turn, and on a model of the contract. */
export function modelScenarios({ scenario, expect, modelSteps }: Suite): void {
  scenario(`${modelSteps} random steps agree with the model (CTS-14)`, async ({ store, second, clock }) => {
    const connections = [store, await second()];
    const model = createModelStore(() => clock.now);
    const random = createRandom(SEED);
    const fences: Fence[] = [];
    const ids: string[] = [];
    const last = new Map<string, Commit>();
    let generation = 0;

    for (let step = 0; step < modelSteps; step++) {
      const on = connections[step % 2] as FlueStore;
      clock.now += random.below(400);
      if (step % 150 === 149) generation++;
      const [actual, expected] = await takeStep(on, step);
      if (JSON.stringify(actual) !== JSON.stringify(expected))
        expect([step, actual]).toEqual([step, expected]);
    }

    for (const connection of connections) {
      for (const path of PATHS) {
        expect(await connection.load(path)).toEqual(model.load(path));
        expect(await readAll(connection, path)).toEqual(model.batches(path));
      }
      for (const id of ids) expect(await connection.submission(id)).toEqual(model.submission(id));
    }

    function takeStep(on: FlueStore, step: number): Promise<[unknown, unknown]> {
      const roll = random.below(100);
      if (roll < 25) return admitOne(on, step);
      if (roll < 40) return claimSome(on);
      if (roll < 48) return beatOnce(on);
      if (roll < 54) return abortSome(on);
      return commitOne(on, step);
    }

    /** Owners retire for good, so their names move on with the generations. */
    function someOwner(): string {
      return `o${generation}.${random.below(OWNERS)}`;
    }

    async function admitOne(on: FlueStore, step: number): Promise<[unknown, unknown]> {
      const path = random.pick(PATHS);
      const again = ids.length > 0 && random.below(8) === 0;
      const submissionId = again ? random.pick(ids) : `s${step}`;
      const known = model.submission(submissionId);
      const a = admission({
        submissionId,
        path: known?.path ?? path,
        acceptedAt: known?.acceptedAt ?? new Date(clock.now).toISOString(),
        timeoutMs: random.pick([50_000, 3_600_000]),
        ...(random.below(10) === 0 ? { digest: 'another' } : {}),
        ...random.pick([
          {},
          {},
          {},
          { condition: null },
          { condition: `uid of ${path}` },
          { condition: 'none' },
        ]),
      });
      const expected = model.admit(a);
      if (expected.kind === 'admitted') ids.push(submissionId);
      const actual = await on.admit(a);
      return [only(actual, expected), expected];
    }

    async function claimSome(on: FlueStore): Promise<[unknown, unknown]> {
      const me = someOwner();
      const o = claimOptions({
        agents: random.pick([AGENTS, AGENTS, ['orders'], ['refunds']]),
        limit: 1 + random.below(3),
        dead: random.below(4) === 0 ? [someOwner()] : [],
        alive: random.below(4) === 0 ? [someOwner()] : [],
        hungOwnerMs: 20_000,
        paths: random.below(6) === 0 ? [random.pick(PATHS)] : [],
      });
      const expected = model.claim(me, o);
      const claims = await on.claim(me, o);
      for (const { path, epoch } of expected) fences.push({ path, epoch, ownerId: me });
      const actual = claims.map(({ path, epoch, previous, row }) => {
        return { path, epoch, reason: previous.reason, submissionId: row.submissionId };
      });
      return [actual, expected];
    }

    async function beatOnce(on: FlueStore): Promise<[unknown, unknown]> {
      const me = someOwner();
      const retire = random.below(8) === 0 ? [someOwner()] : [];
      const agents = random.pick([AGENTS, ['orders']]);
      const expected = model.beat(me, agents, 5000, retire);
      const { self, peers, aborts } = await on.beat(owner(me, agents), {
        leaseMs: 5000,
        retire: retire.map((ownerId) => ({ ownerId })),
      });
      const actual = {
        self,
        peers: peers.map((peer) => peer.ownerId).sort(),
        aborts: aborts.map((stamp) => stamp.submissionId).sort(),
      };
      return [actual, expected];
    }

    async function abortSome(on: FlueStore): Promise<[unknown, unknown]> {
      const path = random.pick(PATHS);
      const submissionId = random.below(2) === 0 && ids.length > 0 ? random.pick(ids) : undefined;
      const expected = model.abort(path, submissionId);
      const { affected } = await on.abort(path, submissionId === undefined ? {} : { submissionId });
      return [affected.sort(), expected];
    }

    /** Mostly the newest owner's next batch; at times a stale owner, a repeat, a gap or a change that cannot apply. */
    async function commitOne(on: FlueStore, step: number): Promise<[unknown, unknown]> {
      const recent = fences.slice(-4);
      if (recent.length === 0) return [null, null];
      const fence = random.pick(recent);
      const key = JSON.stringify(fence);
      const previous = last.get(key);
      const c =
        previous && random.below(10) === 0 ? previous : nextCommit(fence, (previous?.seq ?? 0) + 1, step);
      const expected = model.commit(fence, c);
      const actual = await on.commit(fence, c).catch(refusal);
      if (!('refused' in expected)) last.set(key, c);
      return [actual, expected];
    }

    function nextCommit(fence: Fence, next: number, step: number): Commit {
      const seq = random.below(12) === 0 ? random.below(next + 3) : next;
      if (random.below(5) === 0)
        return commit(seq, { class: 'draft', records: [body('assistant_delta', `${step}`)] });
      const drafts = model.batches(fence.path).filter((batch) => batch.class === 'draft');
      return commit(seq, {
        records: Array.from({ length: 1 + random.below(3) }, (_, i) => body('signal', `${step}.${i}`)),
        rows: random.below(2) === 0 ? someChanges(fence.path) : [],
        ...(random.below(3) === 0 ? { checkpoint: { foldFormat: 1, data: `{"step":${step}}` } } : {}),
        ...(random.below(3) === 0 ? { reclaim: drafts.map((batch) => batch.offset) } : {}),
        ...(random.below(25) === 0 ? { release: true } : {}),
      });
    }

    function someChanges(path: string): RowChange[] {
      const open = model.load(path)?.rows ?? [];
      const [head] = open;
      const queued = open.filter((row) => row.status === 'queued').map((row) => row.submissionId);
      if (!head) return [];
      const host = head.submissionId;
      const outcome = random.pick(OUTCOMES);
      const settle = (submissionId: string): RowChange => ({ submissionId, to: 'settled', outcome });
      const joined = open.filter((row) => row.status === 'joined').map((row) => settle(row.submissionId));
      switch (random.below(7)) {
        case 0:
          return [{ submissionId: host, to: 'running' }];
        case 1:
          return queued
            .slice(0, 1 + random.below(2))
            .map((submissionId) => ({ submissionId, to: 'joined', host }));
        case 2:
          return queued.length > 0 ? [{ submissionId: random.pick(queued), to: 'joined', host }] : [];
        case 3:
          return [{ submissionId: host, to: 'queued', refund: random.below(2) === 0 }];
        case 4:
          return queued.length > 0 ? [settle(random.pick(queued))] : [];
        case 5:
          return [{ submissionId: host, to: 'settled', outcome: 'failed', error: { message: 'why' } }];
        default:
          return [settle(host), ...joined];
      }
    }
  });
}

/** The fields of `actual` that the model speaks of. */
function only(actual: object, expected: object): unknown {
  return Object.fromEntries(
    Object.keys(expected).map((key) => [key, (actual as Record<string, unknown>)[key]]),
  );
}

function refusal(error: { type?: string; meta?: { reason?: string } }): { refused: string } {
  if (!error.type) throw error;
  return { refused: error.meta?.reason ? `${error.type} ${error.meta.reason}` : error.type };
}

async function readAll(store: FlueStore, path: string): Promise<unknown[]> {
  const batches: unknown[] = [];
  let after = '-1';
  for (;;) {
    const page = await store.read(path, { after });
    batches.push(...page.batches);
    if (page.upToDate) return batches;
    after = page.nextOffset;
  }
}

/** Mulberry32: the same steps in every run. */
function createRandom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number) => Math.floor(next() * n);
  const pick = <T>(items: readonly T[]): T => items[below(items.length)] as T;
  return { below, pick };
}
