import { afterEach, describe, expect, expectTypeOf, it } from 'vitest';
import { dispatch } from '../../app/dispatch.ts';
import { init } from '../../app/init.ts';
import { startTest, type TestRuntime } from '../../app/runtime.test.support.ts';
import type { DeliveredMessageInput } from '../../conversation/delivered-message.ts';
import { scriptModel } from '../../testing/script-model.ts';
import type { DispatchReceipt } from '../dispatch-receipt.ts';
import { renderHooks } from './probe.test.support.ts';
import { useDispatchMessage } from './use-dispatch-message.ts';
import { useModel } from './use-model.ts';
import { useTool } from './use-tool.ts';

type Send = ReturnType<typeof useDispatchMessage>;

let flue: TestRuntime | undefined;
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
});

/** An agent whose tool sends to itself, and the sender for use outside it. */
function relay() {
  const seen: { send?: Send; receipts: DispatchReceipt[] } = { receipts: [] };
  function Relay() {
    useModel('offline/script');
    const send = useDispatchMessage();
    seen.send = send;
    useTool({
      name: 'note',
      description: 'Notes.',
      async run() {
        seen.receipts.push(await send('noted'));
        return 'ok';
      },
    });
  }
  return { Relay, seen };
}

const note = { toolCalls: [{ name: 'note', arguments: {} }] };
const userTexts = async () =>
  (await flue!.records('Relay', 'a')).flatMap((record) =>
    record.type === 'user_message' ? [record.body] : [],
  );

describe('a message that an agent sends to itself', () => {
  it('is admitted while its tool still runs, and joins the response at the next boundary (DMSG-01, DMSG-02, DMSG-04)', async () => {
    const { Relay, seen } = relay();
    const script = scriptModel({ steps: [note, { text: 'Both.' }] });
    flue = await startTest({ agents: [Relay] });
    const reply = await init(Relay, { id: 'a' }).dispatch('start');
    expect(reply.text).toBe('Both.');
    expect(script.requests).toHaveLength(2);
    expect(script.requests[1]!.messages.at(-1)).toMatchObject({ role: 'user', content: [{ text: 'noted' }] });
    const [receipt] = seen.receipts;
    expect(receipt).toEqual({
      dispatchId: expect.stringMatching(/^sub_/),
      acceptedAt: expect.any(String),
      uid: reply.uid,
    });
    const joined = (await flue.records('Relay', 'a')).filter(
      (record) => record.type === 'submission_settled' && record.submissionId === receipt!.dispatchId,
    );
    expect(joined).toMatchObject([{ outcome: 'completed', answeredBySubmissionId: reply.submissionId }]);
  });

  it('wakes a response of its own once the instance is idle (DMSG-02)', async () => {
    const { Relay, seen } = relay();
    scriptModel({ steps: [{ text: 'One.' }, { text: 'Two.' }] });
    flue = await startTest({ agents: [Relay] });
    await init(Relay, { id: 'a' }).dispatch('start');
    const { dispatchId } = await seen.send!({ kind: 'signal', type: 'tick', body: 'now' });
    expect((await init(Relay, { id: 'a' }).read(dispatchId)).text).toBe('Two.');
  });

  it('is a delivery of its own each time, with its own start seam (DMSG-03)', async () => {
    const { Relay, seen } = relay();
    scriptModel({ steps: [{ toolCalls: [...note.toolCalls, ...note.toolCalls] }, { text: 'ok' }] });
    flue = await startTest({ agents: [Relay] });
    await init(Relay, { id: 'a' }).dispatch('start');
    const ids = seen.receipts.map((receipt) => receipt.dispatchId);
    expect(new Set(ids).size).toBe(2);
    expect(await userTexts()).toEqual(['start', 'noted', 'noted']);
    const seams = (await flue.records('Relay', 'a')).filter((record) => record.type === 'seam_closed');
    expect(seams.map((record) => record.submissionId).slice(1)).toEqual(ids);
  });

  it('passes the validation of dispatch(), which it fails without ending the response (DMSG-01)', async () => {
    const { Relay, seen } = relay();
    scriptModel({ steps: [{ text: 'ok' }] });
    flue = await startTest({ agents: [Relay] });
    await init(Relay, { id: 'a' }).dispatch('start');
    const bad = { kind: 'signal', type: 'resources', body: '' } as const;
    const [mine, theirs] = await Promise.all(
      [seen.send!(bad), dispatch(Relay, { id: 'a', message: bad })].map((sent) =>
        sent.catch((error: unknown) => error),
      ),
    );
    expect(mine).toMatchObject({ type: 'invalid_request' });
    expect(mine).toEqual(theirs);
  });

  it('is refused at once during a render, awaited or not, and fails that render alone (DMSG-03)', async () => {
    const { Relay } = relay();
    function Eager() {
      useModel('offline/script');
      useDispatchMessage()('too early');
    }
    scriptModel({ steps: [{ text: 'ok' }] });
    flue = await startTest({ agents: [Eager, Relay] });
    const failure = await init(Eager, { id: 'e' })
      .dispatch('x')
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      cause: { type: 'operation_failed', meta: { category: 'render', rule: 'FLUE2301' } },
    });
    expect((await init(Relay, { id: 'a' }).dispatch('x')).text).toBe('ok');
  });

  it('is refused at once on a bare render, and rejects without a runtime (DMSG-03)', async () => {
    const { Relay, seen } = relay();
    let bare: Send | undefined;
    renderHooks('bare', () => {
      bare = useDispatchMessage();
    });
    expect(() => bare!('x')).toThrow('[flue] The dispatcher of useDispatchMessage() has nowhere to write');
    scriptModel({ steps: [{ text: 'ok' }] });
    flue = await startTest({ agents: [Relay] });
    await init(Relay, { id: 'a' }).dispatch('x');
    await flue.stop();
    await expect(seen.send!('late')).rejects.toThrow(
      '[flue] The dispatcher of useDispatchMessage() needs a configured runtime.',
    );
  });

  it('is typed as the messages of dispatch() are (DMSG-01)', () => {
    expectTypeOf<Send>().toEqualTypeOf<(message: DeliveredMessageInput) => Promise<DispatchReceipt>>();
  });
});
