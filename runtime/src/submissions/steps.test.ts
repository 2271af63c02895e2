import { describe, expect, it } from 'vitest';
import { dispatch } from '../app/dispatch.ts';
import { turns, until } from '../app/runtime.test.support.ts';
import { scriptModel } from '../testing/script-model.ts';

import {
  callWork,
  desk,
  failureOf,
  log,
  never,
  ofType,
  persistent,
  type Run,
} from './durable-tools.test.support.ts';

describe('steps', () => {
  /** Runs `run` as a call and gives what it resolves with. */
  async function inCall(run: Run, o: { env?: Record<string, string> } = {}): Promise<void> {
    scriptModel({ steps: [callWork, { text: 'Done.' }] });
    const handle = await persistent()(desk(run), o);
    await handle.dispatch('x');
  }

  it('have a name that is not empty, and one of their own in their call, also after a failure (STEP-03)', async () => {
    const failures: unknown[] = [];
    await inCall(async ({ step }) => {
      const fail = () => {
        throw new Error('first');
      };
      failures.push(await failureOf(step.do('', () => 1)));
      failures.push(await failureOf(step.do(7 as never, () => 1)));
      failures.push(await failureOf(step.do('one', undefined as never)));
      failures.push(await failureOf(step.do('one', fail)));
      failures.push(await failureOf(step.do('one', () => 1)));
    });
    expect(failures).toEqual([
      ...Array(3).fill(expect.stringMatching(/^\[flue\] step\.do\(\) takes a name .*\(FLUE3101\)$/)),
      'first',
      expect.stringMatching(/^\[flue\] step "one" was used in this call before.*\(FLUE3102\)$/),
    ]);
    expect(await ofType('step_recorded')).toEqual([]);
  });

  it('refuse what JSON cannot hold before they resolve, and record nothing (STEP-04)', async () => {
    const failures: unknown[] = [];
    await inCall(async ({ step }) => {
      failures.push(await failureOf(step.do('one', () => ({ at: [1n] }))));
    });
    expect(failures).toEqual([
      expect.stringMatching(/^\[flue\] step "one": value\.at\[0\] is a bigint.*\(FLUE3107\)$/),
    ]);
    expect(await ofType('step_recorded')).toEqual([]);
  });

  it('run side by side, each recorded as it completes (STEP-11, DTL-05)', async () => {
    const order: string[] = [];
    await inCall(async ({ step }) => {
      let openSlow = () => {};
      const slow = step.do('slow', () => new Promise<void>((resolve) => (openSlow = resolve)));
      const broken = failureOf(step.do('broken', () => Promise.reject(new Error('no'))));
      await step.do('quick', () => 1);
      order.push(...(await ofType('step_recorded')).map(({ name }) => name));
      openSlow();
      await slow;
      await broken;
    });
    expect(order).toEqual(['quick']);
    expect((await ofType('step_recorded')).map(({ name }) => name)).toEqual(['quick', 'slow']);
  });

  it('are durable before they resolve (STEP-01, RCD-41)', async () => {
    let recorded: unknown;
    await inCall(async ({ step }) => {
      await step.do('one', () => 1);
      recorded = await ofType('step_recorded');
    });
    expect(recorded).toMatchObject([{ name: 'one', value: 1 }]);
  });

  it('are told of as log lines of their call (STEP-09)', async () => {
    let hangs = true;
    const agent = desk(async ({ step }) => {
      await step.do('one', () => 1);
      if (hangs) await never();
      await step.do('two', () => 2);
    });
    const boot = persistent();
    scriptModel({ steps: [callWork, { text: 'Done.' }] });
    const env = { FLUE_LOG: 'info' };
    await boot(agent, { env });
    const { dispatchId } = await dispatch(agent, { id: 'a', message: 'x' });
    await until(() => log().some((line) => line.includes('completed')));
    hangs = false;
    await (await boot(agent, { env })).read(dispatchId);
    const lines = log().filter((line) => line.includes('step '));
    expect(lines).toEqual([
      '[flue] info step \\"one\\" replayed {"step":"one","tool":"work","toolCallId":"call_1"}\n',
      '[flue] info step \\"two\\" completed {"step":"two","tool":"work","toolCallId":"call_1"}\n',
    ]);
  });

  it('warn of a value over 256 KiB, and refuse what no record can hold (DTL-08)', async () => {
    const failures: unknown[] = [];
    await inCall(
      async ({ step }) => {
        await step.do('small', () => 'x'.repeat(256 * 1024 - 2));
        await step.do('large', () => 'x'.repeat(256 * 1024));
        failures.push(await failureOf(step.do('huge', () => 'x'.repeat(13 * 1024 * 1024))));
      },
      { env: { FLUE_LOG: 'warn' } },
    );
    expect(log()).toEqual([expect.stringContaining('step \\"large\\" recorded 262146 bytes')]);
    expect(failures).toEqual([expect.stringContaining('"step_recorded" record')]);
    expect((await ofType('step_recorded')).map(({ name }) => name)).toEqual(['small', 'large']);
  });

  it('throw once their call has settled (TCALL-20)', async () => {
    let late: (() => Promise<unknown>) | undefined;
    await inCall(({ step }) => {
      late = () => step.do('late', () => 1);
      // Under way when the call settles: its value comes too late.
      void step.do('open', () => turns(20)).catch(() => {});
    });
    expect(await failureOf(late!())).toMatch(
      /step "late": the call that it belongs to has settled.*FLUE3105/,
    );
    await turns(30);
    expect(await ofType('step_recorded')).toEqual([]);
  });

  it('do not start once the call is asked to stop (STEP-07, ABT-03)', async () => {
    let ran = false;
    let started = false;
    const agent = desk(async ({ step, signal }) => {
      started = true;
      await new Promise((resolve) => signal!.addEventListener('abort', resolve));
      await step.do('late', () => {
        ran = true;
      });
    });
    scriptModel({ steps: [callWork] });
    const handle = await persistent()(agent);
    const outcome = handle.dispatch('x').catch((error: unknown) => error);
    await until(() => started);
    await handle.abort();
    expect(await outcome).toMatchObject({ outcome: 'aborted' });
    expect(ran).toBe(false);
    expect(await ofType('call_settled')).toMatchObject([{ status: 'error', interrupted: true }]);
  });
});
