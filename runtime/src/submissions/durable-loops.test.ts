import { describe, expect, it } from 'vitest';
import { dispatch } from '../app/dispatch.ts';
import { until } from '../app/runtime.test.support.ts';
import { scriptModel } from '../testing/script-model.ts';
import { callWork, desk, interrupt, never, ofType, persistent } from './durable-tools.test.support.ts';

describe('the steps of durable calls', () => {
  it('of a loop stay linear however often it is interrupted, and the end is a settlement (PC-049, STEP-01)', async () => {
    const STEPS = [1, 2, 3, 4, 5];
    const effects: number[] = [];
    let hangsAfter = 1;
    const agent = desk(async ({ step }) => {
      for (const n of STEPS) {
        await step.do(`part ${n}`, () => void effects.push(n));
        if (n === hangsAfter) await never();
      }
      return 'whole';
    });
    const recorded = async () => (await ofType('step_recorded')).length;
    const { boot, read } = await interrupt(agent, async () => (await recorded()) === 1);
    for (const n of STEPS.slice(1)) {
      hangsAfter = n;
      await boot(agent);
      await until(async () => (await recorded()) === n);
    }
    hangsAfter = 0;
    expect((await read(await boot(agent))).text).toBe('Done.');
    expect(effects).toEqual(STEPS);
    expect(await ofType('call_settled')).toMatchObject([{ status: 'ok', output: 'whole' }]);
    expect(await ofType('submission_settled')).toMatchObject([{ outcome: 'completed' }]);
  });

  it('belong to one call: the same tool called twice in a turn shares no name and no value, after a restart neither (PC-047, STEP-06)', async () => {
    const effects: string[] = [];
    let hangs = true;
    const agent = desk(async ({ step, toolCallId }) => {
      const mine = await step.do('price', () => {
        effects.push(`price ${toolCallId}`);
        return toolCallId;
      });
      if (hangs) await never();
      return step.do('sum', () => `${mine} again`);
    });
    const boot = persistent();
    const calls = ['call_1', 'call_2'].map((id) => ({ name: 'work', arguments: {}, id }));
    scriptModel({ steps: [{ toolCalls: calls }, { text: 'Done.' }] });
    await boot(agent);
    const { dispatchId } = await dispatch(agent, { id: 'a', message: 'x' });
    await until(async () => (await ofType('step_recorded')).length === 2);
    hangs = false;
    await (await boot(agent)).read(dispatchId);
    expect(effects.sort()).toEqual(['price call_1', 'price call_2']);
    const results = (await ofType('call_settled')).map((one) => [one.call, 'output' in one && one.output]);
    expect(new Map(results as [string, unknown][])).toEqual(
      new Map([
        ['call_1', 'call_1 again'],
        ['call_2', 'call_2 again'],
      ]),
    );
  });

  it('that throw an error of their own settle the call with it, once and for all (PC-048, STEP-07)', async () => {
    class OutOfStock extends Error {
      override readonly name = 'OutOfStock';
    }
    let runs = 0;
    const caught: unknown[] = [];
    const agent = desk(async ({ step }) => {
      const failing = step.do('reserve', () => {
        runs += 1;
        throw new OutOfStock('no planks left');
      });
      await failing.catch((error) => caught.push(error));
      return failing;
    });
    const boot = persistent();
    const script = scriptModel({ steps: [callWork, { text: 'Done.' }] });
    const handle = await boot(agent);
    const { dispatchId } = await dispatch(agent, { id: 'a', message: 'x' });
    expect((await handle.read(dispatchId)).text).toBe('Done.');
    expect(runs).toBe(1);
    // The author's code meets the author's error; the model reads its text, and nothing tries again.
    expect(caught[0]).toBeInstanceOf(OutOfStock);
    const [settled] = await ofType('call_settled');
    expect(settled).toMatchObject({ status: 'error' });
    expect(JSON.stringify(settled)).toContain('no planks left');
    expect(script.requests).toHaveLength(2);
  });
});
