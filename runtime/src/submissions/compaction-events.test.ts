import { afterEach, expect, it } from 'vitest';
import { init } from '../app/init.ts';
import { memory, startTest, type TestRuntime, until } from '../app/runtime.test.support.ts';
import type { FlueObservation } from '../engine/events/event.ts';
import { hear, ofEvent, silence } from '../engine/events/events.test.support.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import type { FlueStore, PersistenceAdapter } from '../ports/store.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { type ScriptStep, scriptModel } from '../testing/script-model.ts';

let flue: TestRuntime;
afterEach(async () => {
  await flue?.stop();
  silence();
});

const usage = (totalTokens: number) => ({ input: totalTokens, totalTokens });

function Talker() {
  useModel('offline/script', { compaction: { reserveTokens: 1_000, keepRecentTokens: 0 } });
}
const talk = (text: string) => init(Talker, { id: 'a' }).dispatch(text);

/** A window of 10,000 tokens; summaries are answered by `summary`, everything else in order. */
function play(says: readonly ScriptStep[], summary: (n: number) => ScriptStep): void {
  let said = 0;
  let summaries = 0;
  scriptModel({
    model: { contextWindow: 10_000, maxTokens: 1_000 },
    steps: ({ options }) =>
      options.purpose === 'agent' ? (says[said++] ?? { text: 'Enough.' }) : summary(summaries++),
  });
}

const about = (heard: readonly FlueObservation[]) =>
  heard.flatMap((event) => {
    if (event.type === 'turn_start' || event.type === 'turn') return [`${event.type} ${event.purpose}`];
    return event.type.startsWith('compaction') ? [event.type] : [];
  });

it('a compaction has its start, its model call and one end, and the next request says that it was (CMP-12, EVT-05, EVT-08)', async () => {
  const heard = hear();
  play(
    [
      { text: 'One.', usage: usage(9_500) },
      { text: 'Two.', usage: usage(90) },
    ],
    () => ({
      text: 'They talked.',
      usage: usage(70),
    }),
  );
  flue = await startTest({ agents: [Talker] });
  await talk('first');
  heard.splice(0);
  const reply = await talk('second');
  expect(about(heard)).toEqual([
    'compaction_start',
    'turn_start compaction',
    'turn compaction',
    'compaction',
    'turn_start agent',
    'turn agent',
  ]);
  expect(ofEvent(heard, 'compaction_start')).toMatchObject([{ reason: 'threshold', estimatedTokens: 9_502 }]);
  // Two messages became one summary; the delivery stays.
  const whole = { messagesBefore: 3, messagesAfter: 2, isError: false, usage: usage(70) };
  expect(ofEvent(heard, 'compaction')).toMatchObject([whole]);
  expect(ofEvent(heard, 'turn').map(({ request }) => request.contextCompacted)).toEqual([undefined, true]);
  expect(ofEvent(heard, 'turn').map(({ response }) => response.usage!.totalTokens)).toEqual([70, 90]);
  expect([ofEvent(heard, 'operation')[0]!.usage!.totalTokens, reply.usage!.totalTokens]).toEqual([160, 160]);
});

it('a compaction that fails ends as an error, is logged, and is retried before that like any call (CMP-11, CMP-12, CMP-13, RETRY-08, LOGE-04, OBS-01)', async () => {
  const heard = hear();
  play([{ text: 'One.', usage: usage(9_500) }, { text: 'Two.' }], (n) => ({
    error: n === 0 ? { message: 'overloaded' } : { message: 'no such thing', transient: false },
  }));
  flue = await startTest({ agents: [Talker], model: { retryBaseMs: 1_000 } });
  await talk('first');
  heard.splice(0);
  await flue.during(talk('second'));
  expect(about(heard)).toEqual([
    'compaction_start',
    'turn_start compaction',
    'turn compaction',
    'turn_start compaction',
    'turn compaction',
    'compaction',
    'turn_start agent',
    'turn agent',
  ]);
  const [first, second] = ofEvent(heard, 'turn');
  expect(second!.turnId).not.toBe(first!.turnId);
  expect(ofEvent(heard, 'turn_retry')).toMatchObject([{ turnId: first!.turnId, attempt: 1, maxRetries: 3 }]);
  expect(ofEvent(heard, 'compaction')).toMatchObject([
    {
      isError: true,
      messagesBefore: 3,
      messagesAfter: 3,
      error: { type: 'operation_failed', message: expect.stringContaining('no such thing') },
      errorInfo: { type: 'operation_failed', stack: expect.any(String) },
    },
  ]);
  expect(ofEvent(heard, 'log').map(({ message }) => message)).toEqual([
    '[flue:model-retry] A model call failed and is tried again.',
    '[flue:compaction] The conversation could not be compacted.',
  ]);
  expect(ofEvent(heard, 'submission_settled')).toMatchObject([{ outcome: 'completed' }]);
});

it('a compaction that is stopped ends with its submission (CMP-12, EVT-05)', async () => {
  const heard = hear();
  play([{ text: 'One.', usage: usage(9_500) }], () => ({ text: 'Never.', delayMs: 100_000 }));
  flue = await startTest({ agents: [Talker] });
  await talk('first');
  const stopped = talk('second').catch((error: { outcome: string }) => error.outcome);
  await until(() => ofEvent(heard, 'compaction_start').length > 0);
  await init(Talker, { id: 'a' }).abort();
  expect(await flue.during(stopped)).toBe('aborted');
  expect(ofEvent(heard, 'compaction')).toMatchObject([{ isError: true }]);
  const types = heard.map(({ type }) => type);
  expect(types.indexOf('compaction')).toBeLessThan(types.lastIndexOf('submission_settled'));
});

it('a compaction whose commit is refused ends with its attempt (CMP-12, EVT-05)', async () => {
  const heard = hear();
  play([{ text: 'One.', usage: usage(9_500) }], () => ({ text: 'They talked.' }));
  const clock = fakeClock();
  const db = memory(clock);
  let refusals = 1;
  const refusing: PersistenceAdapter = {
    ...db,
    async connect() {
      const store = await db.connect();
      const commit: FlueStore['commit'] = (fence, batch) => {
        const isCompaction = batch.records.some((body) => body.includes('"type":"compaction"'));
        if (isCompaction && refusals-- > 0) return Promise.reject(new Error('a bug of the adapter'));
        return store.commit(fence, batch);
      };
      return Object.assign(Object.create(store) as FlueStore, { commit });
    },
  };
  flue = await startTest({ agents: [Talker], clock, db: refusing });
  await talk('first');
  heard.splice(0);
  await flue.during(talk('second'));
  expect(ofEvent(heard, 'compaction').map(({ isError }) => isError)).toEqual([true, false]);
  expect(ofEvent(heard, 'operation').map(({ isError }) => isError)).toEqual([true, false]);
  expect(ofEvent(heard, 'submission_recovery')).toMatchObject([
    { operation: 'process_submission', outcome: 'deferred', error: { message: 'a bug of the adapter' } },
  ]);
});

it('nothing to compact is no event; a request on its own is an operation (CMP-12, EVT-03)', async () => {
  const heard = hear();
  play([{ text: 'One.' }], () => ({ text: 'They talked.', usage: usage(70) }));
  flue = await startTest({ agents: [Talker] });
  await talk('first');
  heard.splice(0);
  await init(Talker, { id: 'a' }).compact();
  await until(() => ofEvent(heard, 'submission_settled').length === 1);
  await init(Talker, { id: 'a' }).compact();
  await until(() => ofEvent(heard, 'submission_settled').length === 2);
  expect(heard.map(({ type }) => type).filter((type) => !type.startsWith('turn'))).toEqual([
    'operation_start',
    'compaction_start',
    'compaction',
    'operation',
    'idle',
    'submission_settled',
    'operation_start',
    'operation',
    'idle',
    'submission_settled',
  ]);
  expect(ofEvent(heard, 'compaction_start')).toMatchObject([{ reason: 'manual' }]);
  expect(ofEvent(heard, 'operation')).toMatchObject([
    { operationKind: 'compact', isError: false, usage: usage(70) },
    { operationKind: 'compact', isError: false },
  ]);
});

it('an overflow that is recovered from is a retry without a delay (RETRY-08, OVER-02)', async () => {
  const heard = hear();
  const refused = {
    error: { message: 'prompt is too long: 11000 tokens > 10000 maximum', transient: false },
  };
  play([{ text: 'One.' }, refused, { text: 'Two.' }], () => ({ text: 'They talked.' }));
  flue = await startTest({ agents: [Talker] });
  await talk('first');
  await talk('second '.repeat(10));
  const failed = ofEvent(heard, 'turn').find(({ isError }) => isError);
  expect(ofEvent(heard, 'turn_retry')).toMatchObject([
    {
      turnId: failed!.turnId,
      reason: 'overflow',
      attempt: 1,
      maxRetries: 2,
      delayMs: 0,
      error: { type: 'context_overflow' },
    },
  ]);
  expect(ofEvent(heard, 'compaction_start')).toMatchObject([{ reason: 'overflow' }]);
});
