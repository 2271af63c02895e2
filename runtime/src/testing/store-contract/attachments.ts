import { admission, attachment, claimOne, commit, fenceOf, PATH, rejection } from './givens.ts';
import type { Suite } from './target.ts';

const BYTES = new Uint8Array([1, 2, 3, 250]);

/** CTS-12. */
export function attachmentScenarios({ scenario, expect }: Suite): void {
  scenario(
    'an exact repeat succeeds, also concurrently, under another file name too (CTS-12, ATT-03)',
    async (f) => {
      const { store, second } = f;
      const other = await second();
      const put = attachment('a', BYTES, { filename: 'first.png' });
      const again = attachment('a', BYTES, { filename: 'second.png' });
      await Promise.all([
        store.admit(admission({ submissionId: 's1', attachments: [put] })),
        other.admit(admission({ submissionId: 's2', attachments: [put] })),
        store.admit(admission({ submissionId: 's3', attachments: [again] })),
      ]);
      expect((await store.load(PATH))?.rows.length).toBe(3);
      expect([...((await other.attachment(PATH, 'a'))?.bytes ?? [])]).toEqual([...BYTES]);
    },
  );

  scenario('a ref is id, type, size, digest and file name, and no more (ATT-01)', async ({ store }) => {
    const put = attachment('a', BYTES, { filename: 'a.png' });
    await store.admit(admission({ submissionId: 's1', attachments: [put, attachment('b', BYTES)] }));
    const { id, mimeType, size, digest } = put;
    expect((await store.attachment(PATH, 'a'))?.ref).toEqual({
      id,
      mimeType,
      size,
      digest,
      filename: 'a.png',
    });
    expect([size, /^[0-9a-f]{64}$/.test(digest)]).toEqual([BYTES.length, true]);
    expect((await store.attachment(PATH, 'b'))?.ref).toEqual({ id: 'b', mimeType, size, digest });
  });

  scenario('other bytes, type or conversation under one id conflict (CTS-12, ATT-03)', async ({ store }) => {
    await store.admit(admission({ submissionId: 's1', attachments: [attachment('a', BYTES)] }));
    const conflicts = [
      attachment('a', new Uint8Array([9])),
      attachment('a', BYTES, { mimeType: 'image/gif' }),
      attachment('a', BYTES, { conversationId: 'conv_2' }),
    ];
    for (const put of conflicts) {
      const error = await rejection(store.admit(admission({ submissionId: 's2', attachments: [put] })));
      expect([error.type, error.meta]).toEqual(['attachment_conflict', { path: PATH, attachmentId: 'a' }]);
    }
    expect(await store.submission('s2')).toBe(null);
  });

  scenario(
    'bytes that disagree with their ref are refused before any write (CTS-12, ATT-03)',
    async ({ store }) => {
      const wrong = [
        ['size', attachment('a', BYTES, { size: 5 })],
        ['digest', attachment('a', BYTES, { digest: '0'.repeat(64) })],
      ] as const;
      for (const [reason, put] of wrong) {
        const error = await rejection(store.admit(admission({ submissionId: 's1', attachments: [put] })));
        expect([error.type, error.meta]).toEqual(['attachment_integrity', { attachmentId: 'a', reason }]);
      }
      expect(await store.load(PATH)).toBe(null);
    },
  );

  scenario('ten megabytes round-trip (CTS-12)', async ({ store }) => {
    const bytes = new Uint8Array(10 * 1024 * 1024).map((_, i) => (i * 31) & 255);
    await store.admit(admission({ submissionId: 's1', attachments: [attachment('a', bytes)] }));
    const stored = await store.attachment(PATH, 'a');
    expect(stored?.ref.size).toBe(bytes.byteLength);
    expect(Buffer.compare(stored?.bytes ?? new Uint8Array(), bytes)).toBe(0);
  });

  scenario('what goes in and comes out are copies (CTS-12, ATT-06)', async ({ store }) => {
    const bytes = BYTES.slice();
    const admitted = store.admit(admission({ submissionId: 's1', attachments: [attachment('a', bytes)] }));
    bytes.fill(0);
    await admitted;
    const first = await store.attachment(PATH, 'a');
    first?.bytes.fill(0);
    expect([...((await store.attachment(PATH, 'a'))?.bytes ?? [])]).toEqual([...BYTES]);
  });

  scenario(
    'the conversation is told, so that another one gets nothing (CTS-12, ATT-04)',
    async ({ store }) => {
      const put = attachment('a', BYTES, { conversationId: 'conv_7' });
      await store.admit(admission({ submissionId: 's1', attachments: [put] }));
      expect((await store.attachment(PATH, 'a'))?.conversationId).toBe('conv_7');
      expect(await store.attachment(PATH, 'b')).toBe(null);
      expect(await store.attachment('agents/orders/other', 'a')).toBe(null);
    },
  );

  scenario(
    'a commit writes attachments too, empty ones and names of any kind included (ATT-02)',
    async ({ store }) => {
      const fence = fenceOf(await claimOne(store, 'o1', 's1'), 'o1');
      const put = attachment('\ud800', new Uint8Array(), { filename: 'a\u0000\ud83d\ude00', mimeType: '' });
      await store.commit(fence, commit(1, { attachments: [put] }));
      const stored = await store.attachment(PATH, '\ud800');
      expect(stored?.ref).toMatchObject({
        id: '\ud800',
        size: 0,
        filename: 'a\u0000\ud83d\ude00',
        mimeType: '',
      });
    },
  );
}
