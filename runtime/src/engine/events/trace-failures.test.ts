import { afterEach, describe, expect, it } from 'vitest';
import { dispatch } from '../../app/dispatch.ts';
import { init } from '../../app/init.ts';
import { startTest, type TestRuntime, until } from '../../app/runtime.test.support.ts';
import { fakeClock } from '../../testing/fake-clock.ts';
import { scriptModel } from '../../testing/script-model.ts';
import { useTool } from '../hooks/use-tool.ts';
import type { FlueObservation } from './event.ts';
import { hear, ofEvent, silence } from './events.test.support.ts';
import { Boss, call, gate, Looker, Plain } from './traced-agents.test.support.ts';

let flue: TestRuntime | undefined;
let heard: FlueObservation[] = [];
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
  silence();
});

const types = () => heard.map(({ type }) => type);
const settledOf = (submissionId: string) =>
  ofEvent(heard, 'submission_settled').filter((event) => event.submissionId === submissionId);

/** Where a text holds frames of a stack. */
function stacksIn(value: unknown, place: string): string[] {
  if (typeof value === 'string') return /\n\s+at /.test(value) ? [place] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => stacksIn(item, `${place}.${key}`));
}

describe('a submission that does not complete', () => {
  it('is settled once, and says with what, without a stack in what is recorded (EVT-03, OBS-01, OBS-03)', async () => {
    heard = hear();
    scriptModel({ steps: [{ error: { message: 'no such region', transient: false } }] });
    flue = await startTest({ agents: [Plain] });
    const failure = await init(Plain, { id: 'a' })
      .dispatch('x')
      .catch((error: { submissionId: string }) => error);
    const { submissionId } = failure as { submissionId: string };
    const [settled, ...more] = settledOf(submissionId);
    expect(more).toEqual([]);
    expect(settled).toMatchObject({
      outcome: 'failed',
      error: { type: 'operation_failed', message: expect.stringContaining('no such region') },
      errorInfo: {
        type: 'operation_failed',
        name: 'OperationFailedError',
        meta: { category: 'provider' },
        stack: expect.stringContaining('turn-failure'),
      },
    });
    expect(JSON.stringify(settled!.error)).not.toContain('turn-failure');
    const [turn] = ofEvent(heard, 'turn');
    expect(turn).toMatchObject({
      isError: true,
      response: { finishReason: 'error', error: { message: expect.stringContaining('no such region') } },
    });
    expect(ofEvent(heard, 'operation')).toMatchObject([
      { isError: true, errorInfo: { type: 'operation_failed', stack: expect.any(String) } },
    ]);
  });

  it('by request closes what it had begun, and what was interrupted has no tool event (EVT-03, EVT-05)', async () => {
    heard = hear();
    const { Waiter, state } = gate();
    scriptModel({ steps: [call('wait')] });
    flue = await startTest({ agents: [Waiter] });
    const { dispatchId } = await dispatch(Waiter, { id: 'a', message: 'x' });
    await until(() => state.calls === 1);
    await init(Waiter, { id: 'a' }).abort();
    await until(() => settledOf(dispatchId).length > 0);
    expect(settledOf(dispatchId)).toMatchObject([
      {
        outcome: 'aborted',
        error: { type: 'submission_aborted' },
        errorInfo: { type: 'submission_aborted' },
      },
    ]);
    expect(types().filter((type) => type.startsWith('operation'))).toEqual(['operation_start', 'operation']);
    expect(types()).toContain('tool_start');
    expect(types()).not.toContain('tool');
  });

  it('by its deadline is settled too, with what the runtime did about it (EVT-03, EVT-13)', async () => {
    heard = hear();
    const clock = fakeClock();
    scriptModel({ steps: [{ text: 'Never.', stallMs: 2 * 3_600_000 }] });
    flue = await startTest({ agents: [Plain], clock, model: { idleTimeoutMs: 0 } });
    const failed = init(Plain, { id: 'a' })
      .dispatch('x')
      .catch(() => undefined);
    await flue.during(failed, 30_000);
    expect(ofEvent(heard, 'submission_settled')).toMatchObject([
      { outcome: 'failed', errorInfo: { type: 'submission_timeout' } },
    ]);
    expect(ofEvent(heard, 'submission_recovery')).toMatchObject([
      {
        operation: 'enforce_deadline',
        outcome: 'terminated',
        kind: 'dispatch',
        attemptCount: 1,
        maxAttempts: 10,
        error: { type: 'submission_timeout' },
      },
    ]);
  });

  it('shows stacks where observers look for them, and nowhere else (SCRUB-03, OBS-03)', async () => {
    heard = hear();
    const failing = { error: { message: 'no such region', transient: false } };
    scriptModel({ steps: [call('fail'), call('task', { agent: 'helper', prompt: 'x' }), failing, failing] });
    function Failing() {
      Boss();
      useTool({
        name: 'fail',
        description: 'Fails.',
        run({ log }) {
          const error = new RangeError('far');
          log.error('failing', { error });
          throw error;
        },
      });
    }
    flue = await startTest({ agents: [Failing] });
    await init(Failing, { id: 'a' })
      .dispatch('x')
      .catch(() => {});
    const places = new Set(heard.flatMap((event) => stacksIn(event, event.type)));
    expect([...places].sort()).toEqual([
      'operation.errorInfo.stack',
      'submission_settled.errorInfo.stack',
      'task.errorInfo.stack',
      'tool.errorInfo.stack',
    ]);
  });

  it('tells a tool that failed by the error that it threw (OBS-01, EVT-10)', async () => {
    heard = hear();
    scriptModel({ steps: [call('fail'), { text: 'Sorry.' }] });
    flue = await startTest({ agents: [Looker] });
    await init(Looker, { id: 'a' }).dispatch('x');
    expect(ofEvent(heard, 'tool')).toMatchObject([
      {
        toolName: 'fail',
        isError: true,
        errorInfo: {
          type: 'RangeError',
          message: 'out of stock',
          stack: expect.stringContaining('RangeError'),
        },
      },
    ]);
    expect(ofEvent(heard, 'submission_settled')).toMatchObject([{ outcome: 'completed' }]);
  });
});

describe('a retry', () => {
  it('is told and logged with its delay and its failure; the last failure settles with the count (RETRY-08, LOGE-04)', async () => {
    heard = hear();
    scriptModel({ steps: [1, 2].map(() => ({ error: { message: 'overloaded' } })) });
    flue = await startTest({ agents: [Plain], model: { retries: 1, retryBaseMs: 1000 } });
    const failed = init(Plain, { id: 'a' })
      .dispatch('x')
      .catch((error: { cause: unknown }) => error.cause);
    const cause = await flue.during(failed);
    const [turn, again] = ofEvent(heard, 'turn');
    const retries = ofEvent(heard, 'turn_retry');
    expect(retries).toMatchObject([
      {
        turnId: turn!.turnId,
        attempt: 1,
        maxRetries: 1,
        reason: 'provider',
        error: { message: expect.stringContaining('overloaded') },
      },
    ]);
    expect(retries[0]!.delayMs).toBeGreaterThanOrEqual(750);
    expect(retries[0]!.delayMs).toBeLessThanOrEqual(1000);
    expect(again!.turnId).not.toBe(turn!.turnId);
    expect(ofEvent(heard, 'log')).toMatchObject([
      { level: 'warn', message: expect.stringContaining('[flue:model-retry]') },
    ]);
    expect(flue.log.join('')).toContain('[flue] warn [flue:model-retry]');
    expect(cause).toMatchObject({ type: 'operation_failed', meta: { attempts: 2 } });
  });

  it('after a silence says so (RETRY-07, RETRY-08)', async () => {
    heard = hear(['turn_retry', 'turn']);
    scriptModel({ steps: [{ text: 'Never.', delayMs: 600_000 }, { text: 'Here.' }] });
    flue = await startTest({ agents: [Plain], model: { idleTimeoutMs: 5_000 } });
    await flue.during(init(Plain, { id: 'a' }).dispatch('x'), 1_000);
    expect(ofEvent(heard, 'turn_retry')).toMatchObject([{ reason: 'idle', error: { type: 'idle_timeout' } }]);
    expect(ofEvent(heard, 'turn').map(({ isError }) => isError)).toEqual([true, false]);
  });
});
