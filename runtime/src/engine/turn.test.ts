import { afterEach, describe, expect, it } from 'vitest';
import { dispatch } from '../app/dispatch.ts';
import { init } from '../app/init.ts';
import { startTest, type TestRuntime, until } from '../app/runtime.test.support.ts';
import { BUILTIN_TOOLS } from '../contract/names.ts';
import type { ConversationRecord, RecordOf, RecordType } from '../conversation/records/index.ts';
import { scriptModel } from '../testing/script-model.ts';
import { useInstruction } from './hooks/use-instruction.ts';
import { useModel } from './hooks/use-model.ts';
import { usePersistentState } from './hooks/use-persistent-state.ts';
import { useTool } from './hooks/use-tool.ts';

let flue: TestRuntime | undefined;
afterEach(async () => {
  await flue?.stop();
  flue = undefined;
});

const ofType = <T extends RecordType>(records: ConversationRecord[], type: T) =>
  records.filter((record): record is RecordOf<T> => record.type === type);
const recordsOf = (id = 'a') => flue!.records('Desk', id);
const signals = async () => ofType(await recordsOf(), 'signal');
const flip = { toolCalls: [{ name: 'flip', arguments: {} }] };

/** An agent whose tool set and instructions follow its state, which each call of `flip` turns over. */
function Desk() {
  useModel('offline/script');
  const [open, setOpen] = usePersistentState('open', false);
  useTool({ name: 'flip', description: 'Flips.', run: () => setOpen((is) => !is) });
  if (open) {
    useTool({ name: 'refund', description: 'Refunds.', run: () => 'done' });
    useInstruction('The desk is open.');
  }
}

describe('narration', () => {
  it('records the first set silently, before the first request (NARR-02)', async () => {
    scriptModel({ steps: [{ text: 'Hi' }] });
    flue = await startTest({ agents: [Desk] });
    await init(Desk, { id: 'a' }).dispatch('x');
    expect(await signals()).toEqual([]);
    const [baseline, ...rest] = ofType(await recordsOf(), 'resources_recorded');
    expect(rest).toEqual([]);
    expect(baseline).toMatchObject({
      prompt: expect.stringMatching(/\n\nCurrent date: 1970-01-01\n\nWorking directory: \/workspace\n/),
      snapshot: {
        tools: [
          ...BUILTIN_TOOLS.map((name) => [name, expect.any(String)]),
          ['task', expect.any(String)],
          ['flip', expect.any(String)],
        ],
      },
    });
  });

  it('tells of a change at the boundary whose render showed it, in order, in one batch with the new set (NARR-04, NARR-06, NARR-07)', async () => {
    const script = scriptModel({ steps: [flip, { text: 'Open.' }] });
    flue = await startTest({ agents: [Desk] });
    await init(Desk, { id: 'a' }).dispatch('x');
    const types = (await recordsOf()).map((record) =>
      record.type === 'signal' ? `signal ${record.signalType}` : record.type,
    );
    expect(types.slice(types.indexOf('call_settled') + 1)).toEqual([
      'signal instructions',
      'signal resources',
      'resources_recorded',
      'assistant_message',
      'submission_settled',
    ]);
    expect(script.requests[1]!.messages.slice(-2)).toMatchObject([
      { content: [{ text: expect.stringContaining('System instructions updated.') }] },
      { content: [{ text: expect.stringContaining('New tool available:') }] },
    ]);
  });

  it('says nothing of a change that was taken back before a boundary (NARR-06)', async () => {
    scriptModel({ steps: [{ toolCalls: [...flip.toolCalls, ...flip.toolCalls] }, { text: 'Same.' }] });
    flue = await startTest({ agents: [Desk] });
    await init(Desk, { id: 'a' }).dispatch('x');
    expect(await signals()).toEqual([]);
  });

  it('keeps the date of the first request, so that the prompt stays the same (NARR-03)', async () => {
    const script = scriptModel({ steps: [{ text: '1' }, { text: '2' }] });
    flue = await startTest({ agents: [Desk] });
    await init(Desk, { id: 'a' }).dispatch('x');
    await flue.clock.advance(86_400_000);
    await init(Desk, { id: 'a' }).dispatch('y');
    const [first, second] = script.requests.map((request) => request.systemPrompt);
    expect(first).toMatch(/\n\nCurrent date: 1970-01-01\n/);
    expect(second).toBe(first);
  });

  it('never makes a turn of its own, and tells at the next response what happened between (NARR-04, NARR-05)', async () => {
    let extra = false;
    function Front() {
      useModel('offline/script');
      if (extra) useTool({ name: 'refund', description: 'Refunds.', run: () => 'done' });
    }
    const script = scriptModel({ steps: [{ text: '1' }, { text: '2' }] });
    flue = await startTest({ agents: [Front] });
    await init(Front, { id: 'a' }).dispatch('x');
    extra = true;
    expect(script.requests).toHaveLength(1);
    await init(Front, { id: 'a' }).dispatch('y');
    expect(script.requests).toHaveLength(2);
    expect(JSON.stringify(script.requests[1]!.messages)).toContain('**refund**');
  });
});

describe('the results of tools', () => {
  it('that are too large to record are told to the model as errors, and the work goes on (TBR-07, RCD-13, FLT-17)', async () => {
    function Huge() {
      useModel('offline/script');
      useTool({ name: 'dump', description: 'Dumps.', run: () => 'x'.repeat(13 * 1024 * 1024) });
    }
    const script = scriptModel({
      steps: [{ toolCalls: [{ name: 'dump', arguments: {} }] }, { text: 'Too much.' }],
    });
    flue = await startTest({ agents: [Huge] });
    expect((await init(Huge, { id: 'a' }).dispatch('x')).text).toBe('Too much.');
    const told = script.requests[1]!.messages.at(-1)!;
    expect(told).toMatchObject({ role: 'tool', isError: true });
    expect(JSON.stringify(told)).toMatch(/call_settled.* \d{8} bytes; the limit is 12582912/);
  });

  it('reach the model up to the configured size, and are recorded whole (TCALL-18, STA-08)', async () => {
    function Long() {
      useModel('offline/script');
      useTool({ name: 'list', description: 'Lists.', run: () => 'q'.repeat(5000) });
    }
    const script = scriptModel({ steps: [{ toolCalls: [{ name: 'list', arguments: {} }] }, { text: 'ok' }] });
    flue = await startTest({ agents: [Long], execution: { maxToolResultBytes: 1000 } });
    await init(Long, { id: 'a' }).dispatch('x');
    const shown = JSON.stringify(script.requests[1]!.messages.at(-1));
    expect(shown.match(/q/g)!.length).toBeLessThanOrEqual(1000);
    expect(shown).toContain('[cut: the whole result has 5002 bytes]');
    const [settled] = ofType(await flue.records('Long', 'a'), 'call_settled');
    expect(settled!.output).toBe('q'.repeat(5000));
  });
});

describe('a call id that a provider uses again', () => {
  it('is renamed before it is recorded (TBR-05, RCD-16)', async () => {
    const same = { toolCalls: [{ id: 'call_1', name: 'flip', arguments: {} }] };
    scriptModel({ steps: [same, same, { text: 'ok' }] });
    flue = await startTest({ agents: [Desk] });
    await dispatch(Desk, { id: 'a', message: 'x' });
    await until(async () => ofType(await recordsOf(), 'submission_settled').length === 1);
    const ids = ofType(await recordsOf(), 'call_settled').map((record) => record.call);
    expect(ids[0]).not.toBe(ids[1]);
    expect(ids[1]).toBe(`${ids[0]}_2`);
  });
});
