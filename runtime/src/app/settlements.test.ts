import { describe, expect, it } from 'vitest';
import { foldReply } from '../conversation/projections/reply.ts';
import { killedExample, workedExample } from '../conversation/projections/worked-example.fixture.ts';
import type { ConversationRecord } from '../conversation/records/index.ts';
import { createSettlements, type Told } from './settlements.ts';

type Batch = readonly ConversationRecord[];
const batchesOf = (example: readonly { readonly records: readonly unknown[] }[]) =>
  example.map(({ records }) => records as Batch);
const whole = batchesOf(workedExample);
const killed = batchesOf(killedExample);
const isRunning = (attempt: number) => (batch: Batch) =>
  batch.some((one) => one.type === 'submission_moved' && one.to === 'running' && one.attempt === attempt);

/** What a waiter for `submissionId` is told by these batches; `isFirst` is said of the first attempt alone. */
function tell(submissionId: string, batches: readonly Batch[], from = 0): Told | undefined {
  const settlements = createSettlements();
  let told: Told | undefined;
  let isFirst = true;
  for (const [index, batch] of batches.entries()) {
    if (index === from) {
      settlements.once(submissionId, (one) => {
        told = one;
      });
    }
    if (isRunning(2)(batch)) isFirst = false;
    settlements.committed(batch, { isFirst });
  }
  return told;
}

describe('a settlement of this process', () => {
  it('is told with the reply that the store would give (HND-06, SUBR-03)', () => {
    const told = tell('sub_A', whole);
    expect(told?.record).toMatchObject({ type: 'submission_settled', submissionId: 'sub_A' });
    expect(told?.content).toEqual(foldReply('sub_A', whole.flat()));
  });

  it('is told without a reply where another attempt recorded a part of it (SUBR-03)', () => {
    const told = tell('sub_A', killed);
    expect(told?.record.outcome).toBe('completed');
    expect(told?.content).toBeUndefined();
  });

  it('is told without a reply to who came late, and for a delivery that joined another (HND-07)', () => {
    const running = whole.findIndex(isRunning(1));
    expect(tell('sub_A', whole, running + 1)?.content).toBeUndefined();
    const joined = tell('sub_B', whole);
    expect(joined?.record.answeredBySubmissionId).toBe('sub_A');
    expect(joined?.content).toBeUndefined();
  });
});
