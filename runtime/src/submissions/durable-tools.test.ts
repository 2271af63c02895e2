import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { currentRuntime } from '../app/current.ts';
import { dispatch } from '../app/dispatch.ts';
import { storedRecords, until } from '../app/runtime.test.support.ts';
import type { Agent } from '../engine/agent.ts';
import { useModel } from '../engine/hooks/use-model.ts';
import { usePersistentState } from '../engine/hooks/use-persistent-state.ts';
import { useSubagent } from '../engine/hooks/use-subagent.ts';
import { useTool } from '../engine/hooks/use-tool.ts';
import { defineTool } from '../engine/tools/define-tool.ts';
import { type ScriptStep, scriptModel } from '../testing/script-model.ts';

import { callWork, desk, interrupt, never, ofType, persistent } from './durable-tools.test.support.ts';

describe('a call of a durable tool that is interrupted', () => {
  it('is executed again with its id and arguments, and recorded steps do not run again (DTL-01, DTL-03, STEP-01, STEP-02, STEP-05, STEP-06, FLAG-02)', async () => {
    const ran: string[] = [];
    const seen: unknown[] = [];
    let hangs = true;
    const tool = defineTool({
      name: 'work',
      description: 'Works.',
      durable: true,
      input: v.object({ order: v.string() }),
      async run({ data, toolCallId, step }) {
        ran.push(`run ${data.order} ${toolCallId}`);
        const made = await step.do('make', () => {
          ran.push('make');
          return { at: new Date(0), left: undefined };
        });
        seen.push(made);
        const sent = await step.do('send', () => {
          ran.push('send');
          return hangs ? never() : 'sent';
        });
        return { sent };
      },
    });
    const boot = persistent();
    function Desk() {
      useModel('offline/script');
      useTool(tool);
    }
    const script = scriptModel({
      steps: [
        { toolCalls: [{ name: 'work', arguments: { order: '7' }, id: 'call_1' }] },
        { toolCalls: [{ name: 'work', arguments: { order: '8' }, id: 'call_1' }] },
        { text: 'Done.' },
      ],
    });
    await boot(Desk);
    const { dispatchId } = await dispatch(Desk, { id: 'a', message: 'x' });
    await until(() => ran.includes('send'));
    hangs = false;
    const handle = await boot(Desk);
    expect((await handle.read(dispatchId)).text).toBe('Done.');
    expect(ran).toEqual([
      ...['run 7 call_1', 'make', 'send'],
      ...['run 7 call_1', 'send'],
      // A call of its own, whatever id the provider gives it: every step runs (DTL-04).
      ...['run 8 call_1_2', 'make', 'send'],
    ]);
    // What the caller gets is what was recorded, on the first run as well.
    expect(seen).toEqual(Array(3).fill({ at: '1970-01-01T00:00:00.000Z' }));
    expect(await ofType('step_recorded')).toMatchObject(
      [
        ['call_1', 'make'],
        ['call_1', 'send'],
        ['call_1_2', 'make'],
        ['call_1_2', 'send'],
      ].map(([call, name]) => ({ call, name })),
    );
    expect(await ofType('call_settled')).toMatchObject([
      { call: 'call_1', status: 'ok', output: { sent: 'sent' } },
      { call: 'call_1_2', status: 'ok' },
    ]);
    // The model reads results alone.
    const results = script.requests[2]!.messages.filter(({ role }) => role === 'tool');
    expect(results.map(({ content }) => content)).toEqual(
      Array(2).fill([{ type: 'text', text: '{"sent":"sent"}' }]),
    );
  });

  it('has a step without a value replayed as undefined (STEP-04, DTL-02)', async () => {
    const seen: unknown[] = [];
    let ran = 0;
    let hangs = true;
    const agent = desk(async ({ step }) => {
      seen.push(
        await step.do('effect', () => {
          ran += 1;
        }),
      );
      if (hangs) await never();
    });
    const { boot, read } = await interrupt(agent, () => seen.length === 1);
    hangs = false;
    await read(await boot(agent));
    expect([seen, ran]).toEqual([[undefined, undefined], 1]);
    expect(await ofType('step_recorded')).toMatchObject([{ name: 'effect', value: null, undef: true }]);
  });

  it('re-runs to its result when all of its steps are recorded, in another build too (STEP-12, DTL-08)', async () => {
    let ended = false;
    const first = desk(async ({ step }) => {
      await step.do('one', () => 1);
      ended = true;
      await never();
    });
    const { boot, read } = await interrupt(first, () => ended);
    const next = desk(async ({ step }) => ({ next: await step.do('one', never) }));
    await read(await boot(next));
    expect(await ofType('call_settled')).toMatchObject([{ status: 'ok', output: { next: 1 } }]);
  });

  it.each([
    ['is not mounted any more', () => useModel('offline/script')],
    ['is no longer durable', desk(() => 'ran again', { durable: false })],
  ])('settles with an unknown outcome when its tool %s (DTL-06, STEP-08, TCALL-12)', async (_, next) => {
    let waiting = false;
    const first = desk(() => {
      waiting = true;
      return never();
    });
    const { boot, read } = await interrupt(first, () => waiting);
    await read(await boot(next as Agent));
    expect(await ofType('call_settled')).toMatchObject([{ status: 'error', interrupted: true }]);
  });

  it('has its arguments parsed by the schema of now (STEP-08)', async () => {
    let waiting = false;
    const first = desk(() => {
      waiting = true;
      return never();
    });
    const { boot, read } = await interrupt(first, () => waiting);
    await read(
      await boot(function Desk() {
        useModel('offline/script');
        const input = v.object({ order: v.string() });
        useTool({ name: 'work', description: 'Works.', durable: true, input, run: () => 'ran' });
      }),
    );
    const [settled] = await ofType('call_settled');
    expect(settled).toMatchObject({ status: 'error', content: [{ text: expect.stringContaining('order') }] });
    expect(settled).not.toHaveProperty('interrupted');
  });

  it('settles like any other when it throws, in recovery too, which spends no attempt (DTL-07, STEP-07)', async () => {
    let hangs = true;
    let runs = 0;
    const agent = desk(async ({ step }) => {
      runs += 1;
      await step.do('one', () => 1);
      if (hangs) await never();
      await step.do('two', () => {
        throw new Error('no luck');
      });
    });
    const { boot, read } = await interrupt(agent, async () => (await ofType('step_recorded')).length === 1);
    hangs = false;
    const reply = await read(await boot(agent));
    expect(reply.text).toBe('Done.');
    expect(runs).toBe(2);
    expect(await ofType('call_settled')).toMatchObject([{ status: 'error', content: [{ text: 'no luck' }] }]);
    expect(await ofType('step_recorded')).toMatchObject([{ name: 'one' }]);
    expect(await currentRuntime()!.store.submission(reply.submissionId)).toMatchObject({ attempts: 2 });
  });

  it('keeps what finished next to it, and the other unknown outcome (TBR-01, TBR-03, TCALL-11)', async () => {
    const ran: string[] = [];
    let hangs = true;
    function Desk() {
      useModel('offline/script');
      const tool = (name: string, durable: boolean, hang: () => boolean) =>
        useTool({
          name,
          description: 'Works.',
          durable,
          run() {
            ran.push(name);
            return hang() ? never() : name;
          },
        });
      tool('quick', false, () => false);
      tool('plain', false, () => true);
      tool('firm', true, () => hangs);
    }
    const boot = persistent();
    scriptModel({
      steps: [
        { toolCalls: ['quick', 'plain', 'firm'].map((name) => ({ name, arguments: {} })) },
        { text: 'Done.' },
      ],
    });
    await boot(Desk);
    const { dispatchId } = await dispatch(Desk, { id: 'a', message: 'x' });
    await until(async () => (await ofType('call_settled')).length === 1 && ran.length === 3);
    hangs = false;
    await (await boot(Desk)).read(dispatchId);
    expect(ran).toEqual(['quick', 'plain', 'firm', 'firm']);
    const outcomes = (await ofType('call_settled')).map(({ tool, status }) => [tool, status]);
    expect(outcomes).toEqual([
      ['quick', 'ok'],
      ['plain', 'error'],
      ['firm', 'ok'],
    ]);
  });

  it('of a delegate is executed again in its task (DTL-01, TSK-02)', async () => {
    const ran: string[] = [];
    let hangs = true;
    const work = defineTool({
      name: 'work',
      description: 'Works.',
      durable: true,
      async run({ step }) {
        await step.do('one', () => ran.push('one'));
        await step.do('two', () => {
          ran.push('two');
          return hangs ? never() : 2;
        });
        return 'worked';
      },
    });
    function Desk() {
      useModel('offline/script');
      useSubagent({ name: 'hand', description: 'Helps.', agent: () => useTool(work) });
    }
    const boot = persistent();
    let asked = 0;
    scriptModel({
      steps({ messages, options }): ScriptStep {
        if (options.agent === 'hand')
          return asked++ === 0 ? { toolCalls: [{ name: 'work', arguments: {} }] } : { text: 'Helped.' };
        if (messages.length > 1) return { text: 'Done.' };
        return { toolCalls: [{ name: 'task', arguments: { agent: 'hand', prompt: 'Go.' } }] };
      },
    });
    await boot(Desk);
    const { dispatchId } = await dispatch(Desk, { id: 'a', message: 'x' });
    await until(() => ran.length === 2);
    hangs = false;
    expect((await (await boot(Desk)).read(dispatchId)).text).toBe('Done.');
    expect(ran).toEqual(['one', 'two', 'two']);
    expect(await ofType('step_recorded')).toMatchObject([
      { conv: 1, name: 'one' },
      { conv: 1, name: 'two' },
    ]);
    expect(await ofType('call_settled')).toMatchObject([
      { conv: 1, tool: 'work', output: 'worked' },
      { tool: 'task', status: 'ok' },
    ]);
  });
});

describe('state that a step writes', () => {
  it('is recorded with it and back when it replays, steps within it included (STATE-09, STEP-11)', async () => {
    const seen: unknown[] = [];
    let hangs = true;
    function Desk() {
      useModel('offline/script');
      const [, set] = usePersistentState<string>('log', '');
      const add = (text: string) =>
        set((before) => {
          seen.push(before);
          return before + text;
        });
      useTool({
        name: 'work',
        description: 'Works.',
        durable: true,
        async run({ step }) {
          add('a');
          await step.do('outer', async () => {
            add('b');
            await step.do('inner', () => add('c'));
          });
          add('d');
          if (hangs) await never();
        },
      });
    }
    const { boot, read } = await interrupt(Desk, () => seen.length === 4);
    expect(seen).toEqual(['', 'a', 'ab', 'abc']);
    const steps = ['state_written', 'step_recorded'];
    const written = (await storedRecords('Desk', 'a')).filter(({ type }) => steps.includes(type));
    expect(written).toMatchObject([
      { type: 'state_written', value: 'abc', step: 'inner', n: 3 },
      { type: 'step_recorded', name: 'inner' },
      { type: 'state_written', value: 'ab', step: 'outer', n: 2 },
      { type: 'step_recorded', name: 'outer' },
    ]);
    hangs = false;
    seen.length = 0;
    await read(await boot(Desk));
    // The code between the steps runs again; then both steps are back, in the order in which they wrote.
    expect(seen).toEqual(['', 'abc']);
    expect((await ofType('state_written')).at(-1)).toMatchObject({ value: 'abcd', call: 'call_1' });
    expect(await stored(boot, 'log')).toBe('abcd');
  });

  it('of a step that throws never happened (STEP-07)', async () => {
    function Desk() {
      useModel('offline/script');
      const [, set] = usePersistentState<string>('log', '');
      useTool({
        name: 'work',
        description: 'Works.',
        durable: true,
        async run({ step }) {
          const failing = step.do('one', () => {
            set('lost');
            throw new Error('no');
          });
          await failing.catch(() => {});
          set((before) => `${before}kept`);
        },
      });
    }
    scriptModel({ steps: [callWork, { text: 'Done.' }] });
    const handle = await persistent()(Desk);
    await handle.dispatch('x');
    expect(await ofType('state_written')).toMatchObject([{ value: 'kept' }]);
    expect(await ofType('step_recorded')).toEqual([]);
  });

  it('holds at the end of the call, although code before the step has written again (STATE-09, RCD-28)', async () => {
    let hangs = true;
    let written = 0;
    function Desk() {
      useModel('offline/script');
      const [, set] = usePersistentState<string>('log', '');
      useTool({
        name: 'work',
        description: 'Works.',
        durable: true,
        async run({ step }) {
          set('before');
          await step.do('one', () => set('in the step'));
          written += 1;
          if (hangs) await never();
        },
      });
    }
    const { boot, read } = await interrupt(Desk, () => written === 1);
    hangs = false;
    await read(await boot(Desk));
    expect(await stored(boot, 'log')).toBe('in the step');
  });

  /** What the next render of a new process reads. */
  async function stored(boot: ReturnType<typeof persistent>, name: string): Promise<unknown> {
    let value: unknown;
    scriptModel({ steps: [{ text: 'Read.' }] });
    const handle = await boot(function Desk() {
      useModel('offline/script');
      [value] = usePersistentState(name);
    });
    await handle.dispatch('y');
    return value;
  }
});
