import { afterEach, describe, expect, it } from 'vitest';
import { useModel } from '../engine/hooks/use-model.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { scriptModel } from '../testing/script-model.ts';
import { currentRuntime } from './current.ts';
import { dispatch, getAgentInstance } from './dispatch.ts';
import { init } from './init.ts';
import { memory, startTest, type TestRuntime } from './runtime.test.support.ts';

function Echo() {
  useModel('offline/script');
}

let flue: TestRuntime | undefined;
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
});

describe('dispatch()', () => {
  it('resolves once the input is queued, without waiting for a model (DSP-01, DSP-08)', async () => {
    const script = scriptModel({ steps: [{ text: 'late', stallMs: 60_000 }] });
    flue = await startTest({ agents: [Echo] });
    const receipt = await dispatch(Echo, { id: 'a', message: 'x' });
    expect(receipt).toEqual({
      dispatchId: expect.stringMatching(/^sub_/),
      acceptedAt: new Date(0).toISOString(),
      uid: expect.stringMatching(/^inst_/),
    });
    expect(script.requests).toHaveLength(0);
    expect((await flue.during(init(Echo, { id: 'a' }).read(receipt))).text).toBe('late');
  });

  it('says that a repeat was one (DSP-11)', async () => {
    scriptModel({ steps: [{ text: 'once' }] });
    flue = await startTest({ agents: [Echo] });
    const send = () => dispatch(Echo, { id: 'a', message: 'x', idempotencyKey: 'k' });
    const first = await send();
    expect(await send()).toEqual({ ...first, deduplicated: true });
  });

  it('needs a runtime, and says how to get one (DSP-02)', async () => {
    const failure = await dispatch(Echo, { id: 'a', message: 'x' }).catch((error: unknown) => error);
    expect((failure as Error).constructor).toBe(Error);
    expect((failure as Error).message).toContain('start()');
  });

  it('tells what is no agent from what is not registered (DSP-03)', async () => {
    flue = await startTest({ agents: [Echo] });
    await expect(dispatch('Echo' as never, { id: 'a', message: 'x' })).rejects.toMatchObject({
      type: 'invalid_request',
    });
    // Membership is by function value, so a namesake is another agent.
    const namesake = { Echo: () => {} }.Echo;
    const failure = await dispatch(namesake, { id: 'a', message: 'x' }).catch((error: unknown) => error);
    expect((failure as Error).constructor).toBe(Error);
    expect((failure as Error).message).toContain('"Echo"');
  });

  it('needs an id (DSP-04)', async () => {
    flue = await startTest({ agents: [Echo] });
    for (const id of [undefined, '', ' \t', 7]) {
      const failure = await dispatch(Echo, { id: id as string, message: 'x' }).catch(
        (error: unknown) => error,
      );
      expect((failure as Error).constructor).toBe(Error);
      expect((failure as Error).message).toContain('instance id');
    }
  });
});

describe('getAgentInstance()', () => {
  it('answers with the uid, or null, and creates nothing (INS-01, INS-02)', async () => {
    scriptModel({ steps: [{ text: 'x' }] });
    flue = await startTest({ agents: [Echo] });
    expect(await getAgentInstance(Echo, 'a')).toBeNull();
    expect(await currentRuntime()!.store.load('agents/Echo/a')).toBeNull();
    const { uid } = await init(Echo, { id: 'a' }).dispatch('x');
    expect(await getAgentInstance(Echo, 'a')).toEqual({ id: 'a', uid });
  });

  it('is one read of the store (INS-02)', async () => {
    const clock = fakeClock();
    const real = memory(clock);
    const calls: string[] = [];
    const db = {
      ...real,
      async connect() {
        const store = await real.connect();
        return new Proxy(store, {
          get(target, name) {
            const method: unknown = Reflect.get(target, name);
            if (typeof method !== 'function') return method;
            return (...args: never[]) => {
              calls.push(String(name));
              return method(...args);
            };
          },
        });
      },
    };
    flue = await startTest({ agents: [Echo], db, clock });
    calls.length = 0;
    await getAgentInstance(Echo, 'a');
    expect(calls).toEqual(['load']);
  });

  it('has the errors of dispatch() (INS-01)', async () => {
    await expect(getAgentInstance(Echo, 'a')).rejects.toThrow(/start\(\)/);
    flue = await startTest({ agents: [Echo] });
    await expect(getAgentInstance(1 as never, 'a')).rejects.toMatchObject({ type: 'invalid_request' });
    await expect(getAgentInstance(function Other() {}, 'a')).rejects.toThrow(/"Other"/);
    await expect(getAgentInstance(Echo, ' ')).rejects.toThrow(/instance id/);
  });
});
