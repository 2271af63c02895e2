import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FlueStore } from '../../ports/store.ts';
import { admission, attachment, PATH } from '../../testing/store-contract/givens.ts';
import { openDatabase } from './open.ts';
import { createStore, type OpenStore } from './store.ts';

const BYTES = new Uint8Array([1, 2, 3, 4]);

let db: Database;
let opened: OpenStore;
let store: FlueStore;
beforeEach(async () => {
  db = await openDatabase(':memory:', { synchronous: 'full', busyMs: 1000 });
  opened = createStore(db, {
    file: ':memory:',
    synchronous: 'full',
    busyMs: 1000,
    now: Date.now,
    shared: false,
  });
  store = opened.store;
});
afterEach(() => opened.close());

describe('stored attachments', () => {
  it('keep equal bytes once per instance, and nowhere else (ATT-05)', async () => {
    const marked = new TextEncoder().encode('bytes that nothing else contains');
    const attachments = ['a', 'b'].map((id) => attachment(id, marked));
    await store.admit(admission({ submissionId: 's1', attachments }));
    await store.admit(admission({ submissionId: 's2', attachments: [attachment('c', marked)] }));
    await store.admit(admission({ submissionId: 's3', path: 'agents/orders/other', attachments }));
    const perInstance = db.prepare('SELECT count(*) FROM flue_blob GROUP BY instance').pluck().all();
    expect(perInstance).toEqual([1, 1]);
    const elsewhere = db.prepare(
      "SELECT count(*) FROM flue_batch WHERE records LIKE '%nothing else%' OR records LIKE '%bm90aGluZyBlbHNl%'",
    );
    expect(elsewhere.pluck().get()).toBe(0);
  });

  it.each([
    ['other bytes of the same length', "UPDATE flue_blob SET bytes = x'01020305'", 'digest'],
    ['bytes cut short', "UPDATE flue_blob SET bytes = x'010203'", 'size'],
    ['bytes that are gone', 'DELETE FROM flue_blob', 'size'],
  ])('are verified on every read: %s (QRY-06, ATT-03)', async (_title, damage, reason) => {
    await store.admit(admission({ submissionId: 's1', attachments: [attachment('a', BYTES)] }));
    expect((await store.attachment(PATH, 'a'))?.bytes).toEqual(BYTES);
    db.exec(damage);
    await expect(store.attachment(PATH, 'a')).rejects.toMatchObject({
      type: 'attachment_integrity',
      meta: { attachmentId: 'a', reason },
    });
  });
});
