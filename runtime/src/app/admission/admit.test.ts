import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ulidIds } from '../../adapters/node/ulid-ids.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { FlueStore, PersistenceAdapter } from '../../ports/store.ts';
import { createOwnAdmissions } from '../../submissions/own-admissions.ts';
import { type FakeClock, fakeClock } from '../../testing/fake-clock.ts';
import { createRegistry, type RegisteredAgent } from '../registry.ts';
import { memory, temporaryFile } from '../runtime.test.support.ts';
import type { Send } from '../runtime.ts';
import { admitSend } from './admit.ts';
import { createKnownInstances } from './known-instances.ts';

let clock: FakeClock;
let db: PersistenceAdapter;
let store: FlueStore;

beforeEach(async () => {
  clock = fakeClock(Date.UTC(2026, 0, 1));
  db = memory(clock);
  store = await db.connect();
});
afterEach(() => db.close?.());

function agentOf(agent: Parameters<typeof createRegistry>[0][number]): RegisteredAgent {
  const registry = createRegistry([agent]);
  return registry.get(registry.identities[0]!)!;
}

function Order() {}
const Typed = Object.assign(function Typed() {}, {
  initialData: v.object({ plan: v.pipe(v.string(), v.toUpperCase()), seats: v.optional(v.number(), 1) }),
});
const order = agentOf(Order);
const typed = agentOf(Typed);

const send = (more: Partial<Send> = {}, agent = order, into = store, known = createKnownInstances()) =>
  admitSend({ store: into, clock, ids: ulidIds(), known, own: createOwnAdmissions() }, agent, {
    kind: 'dispatch',
    id: '7',
    message: 'hi',
    ...more,
  });

async function recordsOf(path: string) {
  const { batches } = await store.read(path, {});
  return batches.map((batch) => batch.records.map((body) => JSON.parse(body)));
}
const rowsOf = async (path: string) => (await store.load(path))?.rows ?? [];

describe('an admission', () => {
  it('creates on first contact, with message and birth in one batch (DSP-05, DSP-07, DSP-14, IDATA-01)', async () => {
    const admitted = await send({ initialData: { plan: 'free' } });
    expect(await recordsOf('agents/Order/7')).toEqual([
      [
        expect.objectContaining({
          type: 'conversation_opened',
          uid: admitted.uid,
          initialData: { plan: 'free' },
        }),
        expect.objectContaining({ type: 'user_message', body: 'hi', submissionId: admitted.submissionId }),
      ],
    ]);
    expect((await store.load('agents/Order/7'))!.instance.head).toBe(admitted.offset);
  });

  it('has opaque ids, the time at which it began and always a uid (DSP-08, DSP-09)', async () => {
    const first = await send();
    expect(first).toMatchObject({
      submissionId: expect.stringMatching(/^sub_[0-9A-Z]{26}$/),
      acceptedAt: '2026-01-01T00:00:00.000Z',
      uid: expect.stringMatching(/^inst_[0-9A-Z]{26}$/),
    });
    expect(first.deduplicated).toBeUndefined();
    expect((await send()).uid).toBe(first.uid);
    expect((await rowsOf('agents/Order/7')).map((row) => row.submissionId)[0]).toBe(first.submissionId);
  });

  it('brings a birth only where the instance is not known, and again once that was erased (DSP-05, RET-02)', async () => {
    const known = createKnownInstances();
    const births: boolean[] = [];
    const spied: FlueStore = {
      ...store,
      admit(admission) {
        births.push(admission.create !== undefined);
        return store.admit(admission);
      },
    };
    const first = await send({}, order, spied, known);
    const second = await send({}, order, spied, known);
    expect(births).toEqual([true, false]);
    expect(second.uid).toBe(first.uid);

    const other = memory(clock);
    const emptied = await other.connect();
    const third = await send({}, order, emptied, known);
    expect((await emptied.load('agents/Order/7'))?.instance.uid).toBe(third.uid);
    expect(third.uid).not.toBe(first.uid);
    await other.close?.();
  });

  it('forgets the oldest of the instances that it knows', () => {
    const known = createKnownInstances(2);
    for (const path of ['a', 'b', 'a', 'c']) known.add(path);
    expect(['a', 'b', 'c'].map(known.has)).toEqual([true, false, true]);
  });

  it('keeps one order for all transports and stamps the budget on the row (DSP-13, BUD-02, STATIC-05)', async () => {
    const Short = Object.assign(function Short() {}, { durability: { maxAttempts: 2, timeoutMs: 5000 } });
    await send({ kind: 'direct', message: '1' }, agentOf(Short));
    await send({ kind: 'dispatch', message: '2' }, agentOf(Short));
    expect(await rowsOf('agents/Short/7')).toMatchObject([
      { kind: 'direct', maxAttempts: 2, timeoutMs: 5000 },
      { kind: 'dispatch', maxAttempts: 2, timeoutMs: 5000 },
    ]);
  });

  it('stores what was sent, whatever becomes of the object later (MSG-12)', async () => {
    const message = { kind: 'user' as const, body: 'before' };
    const initialData = { list: [1] };
    const sending = send({ message, initialData });
    message.body = 'after';
    initialData.list.push(2);
    await sending;
    const [[birth, user]] = (await recordsOf('agents/Order/7')) as [
      [{ initialData: unknown }, { body: string }],
    ];
    expect([birth.initialData, user.body]).toEqual([{ list: [1] }, 'before']);
  });

  it('stores attachments beside the message, which holds references (MSG-04, ADM-01)', async () => {
    const bytes = Buffer.from('pixel');
    const data = bytes.toString('base64');
    const attachments = [{ type: 'image' as const, data, mimeType: 'image/png', filename: 'p.png' }];
    const { submissionId } = await send({ message: { kind: 'user', body: 'see', attachments } });
    const id = `att_${submissionId}_0`;
    const digest = createHash('sha256').update(bytes).digest('hex');
    const ref = { id, mimeType: 'image/png', size: 5, digest, filename: 'p.png' };
    expect((await recordsOf('agents/Order/7'))[0]![1]).toMatchObject({ attachments: [ref] });
    expect(JSON.stringify(await recordsOf('agents/Order/7'))).not.toContain(data);
    expect(Buffer.from((await store.attachment('agents/Order/7', id))!.bytes)).toEqual(bytes);
  });

  it('refuses what could not be stored, before anything is (MSG-11, MSG-03)', async () => {
    const big = 'x'.repeat(LIMITS.messageBytes);
    const refused: Partial<Send>[] = [
      { message: big },
      { initialData: { big } },
      { id: 'é'.repeat(LIMITS.instanceIdBytes / 2 + 1) },
      { initialData: () => 1 },
      { initialData: { when: new Date(0), deep: 1n } },
      {
        message: {
          kind: 'user',
          body: 'x',
          attachments: [{ type: 'image', data: '?', mimeType: 'image/png' }],
        },
      },
    ];
    for (const more of refused) await expect(send(more)).rejects.toMatchObject({ type: 'invalid_request' });
    expect(await store.load('agents/Order/7')).toBeNull();
    await send({ id: 'é'.repeat(LIMITS.instanceIdBytes / 2) });
  });
});

describe('creation data', () => {
  it('is parsed by the schema of the agent, and the outcome is what is stored (DSP-05, STATIC-03, STATIC-04)', async () => {
    await send({ initialData: { plan: 'pro' } }, typed);
    expect((await recordsOf('agents/Typed/7'))[0]![0]).toMatchObject({
      initialData: { plan: 'PRO', seats: 1 },
    });
  });

  it('refuses the creating send with every issue and its path, absence included (DSP-05, STATIC-03, CLS-01)', async () => {
    await expect(send({ initialData: { plan: 1, seats: 'x' } }, typed)).rejects.toMatchObject({
      type: 'invalid_request',
      details: expect.stringContaining('plan'),
      meta: { issues: [{ path: ['plan'] }, { path: ['seats'] }] },
    });
    await expect(send({}, typed)).rejects.toMatchObject({ type: 'invalid_request' });
    expect(await store.load('agents/Typed/7')).toBeNull();
  });

  it('is neither validated nor kept by a send that continues (DSP-06, IDATA-01)', async () => {
    await send({ initialData: { plan: 'pro' } }, typed);
    await send({ initialData: { plan: 7 } }, typed);
    await send({ message: 'more' }, typed);
    expect(
      (await recordsOf('agents/Typed/7')).flat().filter((one) => one.type === 'conversation_opened'),
    ).toHaveLength(1);
  });

  it('must be JSON as the schema leaves it (STATIC-04)', async () => {
    const Dated = Object.assign(function Dated() {}, {
      initialData: v.pipe(
        v.string(),
        v.transform((text) => new Map([[text, 1]])),
      ),
    });
    await expect(send({ initialData: 'x' }, agentOf(Dated))).rejects.toMatchObject({
      type: 'invalid_request',
    });
    expect(await store.load('agents/Dated/7')).toBeNull();
  });
});

describe('an idempotency key', () => {
  it('names the delivery within its instance (DSP-10)', async () => {
    const { submissionId } = await send({ idempotencyKey: 'k' });
    const digest = createHash('sha256').update('flue-submission-key\nOrder\n7\nk').digest('hex');
    expect(submissionId).toBe(`sub_ik_${digest.slice(0, 32)}`);
    expect((await send({ id: '8', idempotencyKey: 'k' })).submissionId).not.toBe(submissionId);
    for (const idempotencyKey of ['', 'k'.repeat(257), 7]) {
      await expect(send({ idempotencyKey })).rejects.toMatchObject({ type: 'invalid_request' });
    }
    await send({ idempotencyKey: 'k'.repeat(256) });
  });

  it('makes a repeat return the first receipt and queue nothing, over any transport and condition (DSP-11, DSP-15, ADM-02)', async () => {
    const repeated = { idempotencyKey: 'k', initialData: { a: 1, b: [2] }, uid: null };
    const first = await send(repeated);
    await clock.advance(5000);
    const again = await send({ ...repeated, kind: 'direct', initialData: { b: [2], a: 1 } });
    expect(again).toEqual({ ...first, deduplicated: true });
    expect(await rowsOf('agents/Order/7')).toHaveLength(1);
  });

  it('conflicts with another payload, and nothing is written (DSP-12, ADM-02)', async () => {
    const { submissionId } = await send({ idempotencyKey: 'k' });
    for (const more of [{ message: 'other' }, { initialData: { x: 1 } }]) {
      await expect(send({ idempotencyKey: 'k', ...more })).rejects.toMatchObject({
        type: 'submission_conflict',
        status: 409,
      });
    }
    expect((await rowsOf('agents/Order/7')).map((row) => row.submissionId)).toEqual([submissionId]);
    expect(await recordsOf('agents/Order/7')).toHaveLength(1);
  });

  it('tells equal images from different ones (DSP-11, DSP-12)', async () => {
    const look = (data: string) => ({
      kind: 'user',
      body: 'see',
      attachments: [{ type: 'image', data, mimeType: 'image/png' }],
    });
    await send({ idempotencyKey: 'k', message: look('AAAA') });
    expect((await send({ idempotencyKey: 'k', message: look('AAAA') })).deduplicated).toBe(true);
    await expect(send({ idempotencyKey: 'k', message: look('BBBB') })).rejects.toMatchObject({
      type: 'submission_conflict',
    });
  });
});

describe('a condition', () => {
  it('omitted continues or creates (CND-01)', async () => {
    const { uid } = await send();
    expect((await send()).uid).toBe(uid);
  });

  it('of a string continues that incarnation only, with one error for absent and other (CND-02)', async () => {
    const absent = await send({ uid: 'inst_x' }).catch((error: unknown) => error);
    expect(absent).toMatchObject({ type: 'agent_instance_not_found', status: 404 });
    expect(await store.load('agents/Order/7')).toBeNull();
    const { uid } = await send();
    const other = await send({ uid: 'inst_x' }).catch((error: unknown) => error);
    expect(other).toEqual(absent);
    expect((await send({ uid })).uid).toBe(uid);
    expect(await rowsOf('agents/Order/7')).toHaveLength(2);
  });

  it('of null creates only, and shows the uid that stands in the way (CND-03)', async () => {
    const { uid } = await send({ uid: null });
    await expect(send({ uid: null })).rejects.toMatchObject({
      type: 'agent_instance_exists',
      status: 409,
      uid,
      details: expect.stringContaining(uid),
      meta: { uid },
    });
    expect(await rowsOf('agents/Order/7')).toHaveLength(1);
  });

  it('guards against accidents and keeps nobody out (CND-07)', async () => {
    const { uid } = await send({ uid: null });
    // Who has no uid may send all the same, and who asks is told it.
    expect((await send()).uid).toBe(uid);
    const refused = await send({ uid: null }).catch((error: unknown) => error);
    expect((await send({ uid: (refused as { uid: string }).uid })).uid).toBe(uid);
    expect(await rowsOf('agents/Order/7')).toHaveLength(3);
  });

  it('of a string goes with no creation data, and is a string or null (CND-04, CND-05)', async () => {
    const { uid } = await send();
    await expect(send({ uid, initialData: null })).rejects.toMatchObject({
      type: 'invalid_request',
      details: expect.stringContaining('initialData'),
    });
    for (const bad of ['', 7, {}, false]) {
      await expect(send({ uid: bad })).rejects.toMatchObject({ details: expect.stringContaining('uid') });
    }
  });

  it('holds against a creator in another process: one creates, the other continues or is told (DSP-07, CND-06)', async () => {
    const file = temporaryFile();
    const processes = [file.adapter(clock), file.adapter(clock)];
    try {
      const [one, two] = await Promise.all(processes.map(async (adapter) => adapter.connect()));
      const both = [one!, two!];
      for (const [n, agent] of [order, typed].entries()) {
        const id = `race-${n}`;
        const initialData = { plan: 'pro' };
        const [a, b] = await Promise.all(both.map((into) => send({ id, initialData }, agent, into)));
        expect(a!.uid).toBe(b!.uid);
        const only = await Promise.allSettled(
          both.map((into) => send({ id: `only-${n}`, initialData, uid: null }, agent, into)),
        );
        expect(only.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
        const { batches } = await one!.read(`agents/${agent.identity}/${id}`, {});
        const births = batches.flatMap((batch) => batch.records).filter((body) => body.includes('"root"'));
        expect(births).toHaveLength(1);
      }
    } finally {
      for (const adapter of processes) await adapter.close?.();
      file.remove();
    }
  });
});
