import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSqliteAdapter } from '../adapters/sqlite/sqlite.ts';
import { turns } from '../app/runtime.test.support.ts';
import {
  birth,
  call,
  delta,
  message,
  resources,
  result,
  running,
  startSeam,
  text,
  user,
} from '../conversation/fold/fixtures/stories.fixture.ts';
import { foldStored } from '../conversation/fold/fold.ts';
import { type Conversation, emptyConversation } from '../conversation/fold/state.ts';
import {
  type ConversationRecord,
  encodeRecord,
  type NewRecord,
  stamp,
} from '../conversation/records/index.ts';
import type { Commit, Fence, FlueStore, PersistenceAdapter } from '../ports/store.ts';
import { PersistenceError } from '../ports/store-errors.ts';
import { type FakeClock, fakeClock } from '../testing/fake-clock.ts';
import { admission, beat, claimOptions } from '../testing/store-contract/givens.ts';
import { patientStore } from './patient-store.ts';
import { openStreamWriter, readTail, type StreamWriter } from './stream-writer.ts';

const PATH = 'agents/orders/7';
const TS = new Date(0).toISOString();
const recorded = (record: NewRecord) => encodeRecord(stamp(record, TS));

let clock: FakeClock;
let db: PersistenceAdapter;
let store: FlueStore;
let fence: Fence;

beforeEach(async () => {
  clock = fakeClock();
  db = createSqliteAdapter(':memory:', {}, clock.now);
  store = await db.connect();
  await admit('sub_A');
  await beat(store, 'A');
  const [claim] = await store.claim('A', claimOptions());
  fence = { path: PATH, ownerId: 'A', epoch: claim!.epoch };
});
afterEach(() => db.close?.());

function admit(submissionId: string) {
  const create = { uid: 'inst_U', incarnation: 'inc_U', birth: recorded(birth) };
  return store.admit(admission({ submissionId, path: PATH, create, accepted: recorded(user(submissionId)) }));
}

interface Opened {
  readonly writer: StreamWriter;
  readonly told: ConversationRecord[];
  readonly losses: unknown[];
}

/** A writer at the head, over the store with some methods replaced, patient for a minute. */
async function open(override: Partial<FlueStore> = {}): Promise<Opened> {
  const state = emptyConversation('inc_U');
  await readTail(store, PATH, state);
  const told: ConversationRecord[] = [];
  const losses: unknown[] = [];
  const writer = openStreamWriter({
    store: patientStore({ ...store, ...override }, clock, 60_000),
    clock,
    fence,
    state,
    committed: (records) => told.push(...records),
    lost: (error) => losses.push(error),
  });
  return { writer, told, losses };
}

const opening = (writer: StreamWriter) =>
  writer.write((batch) =>
    batch.add([running(), startSeam(), resources()], [{ submissionId: 'sub_A', to: 'running' }]),
  );

/** The state that a stranger folds from the stored stream. */
async function replayed(): Promise<Conversation> {
  const state = emptyConversation('inc_U');
  for (const batch of (await store.read(PATH, { limit: 1000 })).batches) foldStored(state, batch);
  return state;
}

async function expectAgreement(state: Conversation): Promise<void> {
  const stranger = await replayed();
  expect(state.tail.head).toBe(stranger.tail.head);
  expect(state.queue).toEqual(stranger.queue);
  expect(state.windows).toEqual(stranger.windows);
}

describe('a batch', () => {
  it('is the units that were added, in order, and shows what it has added so far (RCD-40)', async () => {
    const { writer, told } = await open();
    await writer.write((batch) => {
      batch.add([running()], [{ submissionId: 'sub_A', to: 'running' }]);
      expect(writer.state.queue.pending[0]).toMatchObject({ state: 'running' });
      batch.add([startSeam()]);
    });
    expect(told.map((record) => record.type)).toEqual(['submission_moved', 'seam_closed']);
    await expectAgreement(writer.state);
  });

  it('that adds nothing is no commit (CMT-09)', async () => {
    let commits = 0;
    const { writer } = await open({
      commit: (...args) => {
        commits += 1;
        return store.commit(...args);
      },
    });
    await writer.write((batch) => batch.add([]));
    expect(commits).toBe(0);
  });

  it('that contradicts the state is never written and leaves no trace (RCD-68)', async () => {
    const { writer, told } = await open();
    await opening(writer);
    const head = writer.state.tail.head;
    const wrong = writer.write((batch) => {
      batch.add([message(1, [call('c1', 0)])]);
      batch.add([result('c2')]);
    });
    await expect(wrong).rejects.toMatchObject({ type: 'conversation_record_invariant' });
    expect(writer.state.tail.head).toBe(head);
    expect((await store.read(PATH, {})).batches).toHaveLength(head);
    await writer.write((batch) => batch.add([message(1, [text('Hi', 0)])]));
    expect(told.at(-1)).toMatchObject({ type: 'assistant_message' });
    await expectAgreement(writer.state);
  });

  it('whose building throws writes nothing of itself (SEAM-01)', async () => {
    const { writer } = await open();
    await opening(writer);
    const broken = writer.write((batch) => {
      batch.add([message(1, [text('Hi', 0)])]);
      throw new Error('render');
    });
    await expect(broken).rejects.toThrow('render');
    await expectAgreement(writer.state);
    expect(writer.state.windows.get(0)!.turn).toBe(0);
  });

  it('is refused once the writer has ended, which tells whether one is still under way (OWN-05, CKP-09)', async () => {
    const { writer } = await open();
    const rows = [{ submissionId: 'sub_A', to: 'running' as const }];
    const late = writer.write((batch) => batch.add([running()], rows));
    expect(writer.end()).toBe(false);
    await late;
    expect(writer.end()).toBe(true);
    const { head } = writer.state.tail;
    await expect(writer.write((batch) => batch.add([startSeam()]))).rejects.toMatchObject({
      type: 'ownership_lost',
    });
    await expect(writer.catchUp()).rejects.toMatchObject({ type: 'ownership_lost' });
    expect(writer.state.tail.head).toBe(head);
  });

  it('that the store refuses leaves no trace, and its number is used again (CMT-03)', async () => {
    const { writer } = await open();
    const refused = writer.write((batch) =>
      batch.add([running(), startSeam(), resources()], [{ submissionId: 'sub_none', to: 'running' }]),
    );
    await expect(refused).rejects.toMatchObject({ reason: 'row_change' });
    await opening(writer);
    await expectAgreement(writer.state);
  });

  it('waits for the one before it, whoever asked (RCD-40)', async () => {
    const { writer } = await open();
    const writes = [
      opening(writer),
      writer.write((batch) => batch.add([delta(0, 0, 'Hi')]), { class: 'draft' }),
      writer.write((batch) => batch.add([message(1, [text('Hi you', 0)])])),
    ];
    await Promise.all(writes);
    const { batches } = await store.read(PATH, {});
    // The message made its draft redundant, so that one is gone (STR-09).
    expect(batches.map((batch) => batch.seq)).toEqual([0, 1, 3]);
    await expectAgreement(writer.state);
  });
});

describe('admissions of others', () => {
  it('between two batches are folded in their place (RCD-44, OWN-04)', async () => {
    const { writer } = await open();
    await opening(writer);
    await admit('sub_B');
    await admit('sub_C');
    await writer.write((batch) => batch.add([message(1, [text('Hi', 0)])]));
    expect(writer.state.queue.pending.map((pending) => pending.submissionId)).toEqual([
      'sub_A',
      'sub_B',
      'sub_C',
    ]);
    expect(writer.queued).toBe(true);
    await expectAgreement(writer.state);
  });

  it('are seen without a batch of its own, too (JOI-02)', async () => {
    const { writer } = await open();
    await opening(writer);
    await admit('sub_B');
    await writer.catchUp();
    expect(writer.state.queue.pending).toHaveLength(2);
    expect(writer.queued).toBe(false);
    await writer.write((batch) => batch.add([message(1, [text('Hi', 0)])]));
    await expectAgreement(writer.state);
  });
});

describe('the abort stamp of the head', () => {
  it('is learned from any commit and kept (CMT-08)', async () => {
    const { writer } = await open();
    await opening(writer);
    expect(writer.abortRequestedAt).toBeUndefined();
    await clock.advance(70);
    await store.abort(PATH);
    await writer.write((batch) => batch.add([message(1, [text('Hi', 0)])]));
    expect(writer.abortRequestedAt).toBe(70);
  });
});

describe('a store that fails', () => {
  it('after it wrote is asked again with the same batch, which then stands once (CMT-03)', async () => {
    const commits: Commit[] = [];
    const { writer } = await open({
      async commit(at, commit) {
        commits.push(commit);
        const answer = await store.commit(at, commit);
        if (commits.length === 1) throw new PersistenceError({ reason: 'unavailable' });
        return answer;
      },
    });
    const written = opening(writer);
    await turns(5);
    await clock.advance(50);
    await written;
    expect(commits).toHaveLength(2);
    expect(commits[1]).toEqual(commits[0]);
    expect((await store.read(PATH, {})).batches).toHaveLength(2);
    await writer.write((batch) => batch.add([message(1, [text('Hi', 0)])]));
    await expectAgreement(writer.state);
  });

  it('for lack of space holds the batch with growing pauses until it has some (SQL-10, SQL-11)', async () => {
    let free = false;
    let tries = 0;
    const { writer } = await open({
      commit(at, commit) {
        tries += 1;
        return free ? store.commit(at, commit) : Promise.reject(new PersistenceError({ reason: 'full' }));
      },
    });
    const written = opening(writer);
    await turns(3);
    await clock.advance(1250);
    expect(tries).toBe(4);
    free = true;
    await clock.advance(5000);
    await written;
    await expectAgreement(writer.state);
  });

  it('is given up past the time of the work, and at once when it is damaged or closed (SQL-10, SQL-12)', async () => {
    for (const reason of ['corrupt', 'closed'] as const) {
      const { writer } = await open({ commit: () => Promise.reject(new PersistenceError({ reason })) });
      await expect(opening(writer)).rejects.toMatchObject({ meta: { reason } });
    }
    const { writer } = await open({ commit: () => Promise.reject(new PersistenceError({ reason: 'full' })) });
    const written = opening(writer);
    const outcome = expect(written).rejects.toMatchObject({ type: 'persistence_failure' });
    await turns(3);
    await clock.advance(70_000);
    await outcome;
  });

  it('while it is read is waited for as well, and the state agrees in the end (REC-14)', async () => {
    let failures = 2;
    const { writer } = await open({
      read: (path, o) =>
        failures-- > 0 ? Promise.reject(new PersistenceError({ reason: 'busy' })) : store.read(path, o),
    });
    await admit('sub_B');
    const written = opening(writer);
    await turns(5);
    await clock.advance(300);
    await written;
    await expectAgreement(writer.state);
  });
});

describe('a fence that refuses', () => {
  it('is told at once, even where only a draft met it, and nothing is written (OWN-02, OWN-05)', async () => {
    const { writer, told, losses } = await open();
    await opening(writer);
    const before = told.length;
    await store.claim('A', claimOptions({ paths: [PATH] }));
    const draft = writer.write((batch) => batch.add([delta(0, 0, 'Hi')]), { class: 'draft' });
    await expect(draft).rejects.toMatchObject({ type: 'ownership_lost' });
    expect(losses).toHaveLength(1);
    expect(told).toHaveLength(before);
    expect(writer.state.open).toBeUndefined();
  });
});

describe('a checkpoint', () => {
  it('goes with the first durable batch after 64, and never while calls are open (CKP-03)', async () => {
    const checkpoints: number[] = [];
    const { writer } = await open({
      commit(at, commit) {
        if (commit.checkpoint) checkpoints.push(commit.seq);
        return store.commit(at, commit);
      },
    });
    await opening(writer);
    for (let n = 0; n < 70; n++) await admit(`sub_${n}`);
    await writer.write((batch) => batch.add([message(1, [call('c1', 0)])]));
    await writer.write((batch) => batch.add([result('c1')]));
    await writer.write((batch) => batch.add([message(2, [text('Hi', 1)])]));
    expect(checkpoints).toEqual([3]);
    expect((await store.load(PATH))!.checkpoint).not.toBeNull();
  });
});
