import { afterEach, describe, expect, it } from 'vitest';
import { hear, silence, testEvents } from '../engine/events/events.test.support.ts';
import { OwnershipLostError, PersistenceError } from '../ports/store-errors.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { createContainedFailures } from './contained-failures.ts';

afterEach(silence);

function given() {
  const clock = fakeClock();
  const lines: string[] = [];
  const contain = createContainedFailures({
    clock,
    events: testEvents({}).events,
    logFailure(error, about) {
      lines.push(`${(error as Error | null)?.message} ${JSON.stringify(about)}`);
      return 'err_1';
    },
  });
  return { clock, lines, contain };
}

describe('a contained failure', () => {
  it('is one line with its operation, submission and attempt (REC-15)', () => {
    const { lines, contain } = given();
    contain(new Error('broken'), { operation: 'process_submission', submission: 'sub_1', attempt: 2 });
    expect(lines).toEqual(['broken {"operation":"process_submission","submission":"sub_1","attempt":2}']);
  });

  it('is told once a minute while it repeats itself, and then how often it did (REC-15)', async () => {
    const { clock, lines, contain } = given();
    const fail = (attempt: number) => contain(new Error('x'), { operation: 'o', submission: 's', attempt });
    for (let attempt = 1; attempt <= 5; attempt++) fail(attempt);
    expect(lines).toHaveLength(1);
    await clock.advance(59_999);
    fail(6);
    expect(lines).toHaveLength(1);
    await clock.advance(1);
    fail(7);
    expect(lines[1]).toBe('x {"operation":"o","submission":"s","attempt":7,"repeated":5}');
  });

  it('hides no other one: another operation, submission or error has a line of its own (REC-15)', () => {
    const { lines, contain } = given();
    contain(new Error('x'), { operation: 'o', submission: 's' });
    contain(new Error('y'), { operation: 'o', submission: 's' });
    contain(new Error('x'), { operation: 'p', submission: 's' });
    contain(new Error('x'), { operation: 'o', submission: 't' });
    contain(new Error('x'), { operation: 'o', submission: 's' });
    expect(lines).toHaveLength(4);
  });

  it('is the same one for everything that meets a store which refuses to work (SQL-13)', async () => {
    const { clock, lines, contain } = given();
    const full = () => new PersistenceError({ reason: 'full' });
    for (const operation of ['beat', 'reconcile_pass', 'admit', 'beat']) contain(full(), { operation });
    expect(lines).toHaveLength(1);
    contain(new PersistenceError({ reason: 'readonly' }), { operation: 'beat' });
    expect(lines).toHaveLength(2);
    await clock.advance(60_000);
    contain(full(), { operation: 'admit' });
    expect(lines).toHaveLength(3);
  });

  it('survives what cannot be read (OBS-04)', () => {
    const { contain } = given();
    const hostile = {
      get [Symbol.toPrimitive]() {
        throw new Error('no');
      },
    };
    expect(() => contain(hostile, { operation: 'o' })).not.toThrow();
    expect(() => contain(null, {})).not.toThrow();
  });

  it('is one event beside its line, as rarely, and without a stack in its error (REC-15, SUB-08, EVT-13)', async () => {
    const { clock, contain } = given();
    const heard = hear();
    const place = { instanceId: 'a', agentName: 'Desk', submissionId: 'sub_1' };
    const { events } = testEvents(place);
    const fail = () => contain(new RangeError('x'), { operation: 'process_submission', attempt: 2 }, events);
    fail();
    fail();
    expect(heard).toMatchObject([
      {
        ...place,
        type: 'submission_recovery',
        operation: 'process_submission',
        outcome: 'deferred',
        attemptCount: 2,
        error: { name: 'RangeError', message: 'x', type: 'RangeError' },
        errorInfo: { type: 'RangeError', stack: expect.stringContaining('contained-failures.test') },
      },
    ]);
    expect(Object.keys((heard[0] as { error?: object }).error!)).not.toContain('stack');
    await clock.advance(60_000);
    fail();
    expect(heard).toHaveLength(2);
  });

  it('of the process names no submission; an owner that was superseded has no part in it any more (EVT-13, OWN-05)', () => {
    const { contain } = given();
    const heard = hear();
    contain(new Error('x'), { operation: 'beat' });
    const lost = new OwnershipLostError({ path: 'agents/Desk/a', epoch: 2 });
    contain(lost, { operation: 'process_submission', attempt: 1 }, testEvents().events);
    expect(heard).toMatchObject([
      { operation: 'reconcile_pass', outcome: 'deferred' },
      { operation: 'process_submission', outcome: 'terminated', errorInfo: { type: 'ownership_lost' } },
    ]);
    expect(heard[0]!.submissionId).toBeUndefined();
  });
});
