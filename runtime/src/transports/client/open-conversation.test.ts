import { expect, it } from 'vitest';
import { openConversation } from './conversation.ts';
import type { OutgoingSend } from './transport.ts';

it('sends one after the other; the first carries the condition, later ones the incarnation it met (TCLI-14, HND-05)', async () => {
  const sent: OutgoingSend[] = [];
  const answers: (() => void)[] = [];
  const conversation = openConversation(
    { identity: 'Orders', id: '1', uid: null },
    {
      send: async (send) => {
        sent.push(send);
        await new Promise<void>((resolve) => answers.push(resolve));
        return { submissionId: 'sub', acceptedAt: '', uid: 'met' };
      },
      reply: async () => ({ text: '', data: {}, submissionId: 'sub' }),
      abort: async () => ({ aborted: false }),
      compact: async () => ({ requested: true }),
      history: () => Promise.reject(new Error('not asked for')),
      follow: () => Promise.reject(new Error('not asked for')),
      attachment: () => Promise.reject(new Error('not asked for')),
      fileUrl: () => undefined,
    },
  );
  const first = conversation.send({ message: 'a', initialData: 1 });
  const second = conversation.send({ message: 'b', initialData: 2 });
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent).toEqual([{ message: { kind: 'user', body: 'a' }, initialData: 1, uid: null }]);
  answers.shift()?.();
  await first;
  await new Promise((resolve) => setImmediate(resolve));
  expect(sent[1]).toEqual({ message: { kind: 'user', body: 'b' }, uid: 'met' });
  answers.shift()?.();
  await second;
});
