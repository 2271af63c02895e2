import { setMaxListeners } from 'node:events';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { turns } from '../app/runtime.test.support.ts';
import type { CallPart } from '../ports/model-shapes.ts';
import { fakeClock } from '../testing/fake-clock.ts';
import { type CallOutcome, parseArguments, runToolBatch, type ToolBatch } from './tool-batch.ts';
import { defineTool } from './tools/define-tool.ts';
import type { ToolDefinition } from './tools/tool-definition.ts';
import { NO_JOURNAL } from './tools/tool-step.ts';

const call = (id: string, tool: string, args = '{}'): CallPart => ({
  type: 'call',
  id,
  tool,
  args,
  valid: true,
  part: 0,
});

/** A tool whose runs end when the test says so. */
function held(name: string, more: { parallel?: boolean } = {}) {
  const open: (() => void)[] = [];
  let active = 0;
  let most = 0;
  const tool = defineTool({
    name,
    description: 'Waits.',
    ...more,
    run: async () => {
      active += 1;
      most = Math.max(most, active);
      await new Promise<void>((resolve) => {
        open.push(resolve);
      });
      active -= 1;
    },
  });
  return { tool, open, most: () => most };
}

function start(calls: CallPart[], tools: ToolDefinition[], more: Partial<ToolBatch> = {}) {
  const clock = fakeClock();
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // as an attempt's is: each call listens
  const recorded: (CallOutcome & { id: string })[] = [];
  const done = runToolBatch({
    calls,
    tools: new Map(tools.map((tool) => [tool.name, tool])),
    cut: false,
    signal: controller.signal,
    clock,
    within: (_call, run) => run(),
    journal: () => NO_JOURNAL,
    harness: () => {
      throw new Error('No tool here asks for a harness.');
    },
    record: async ({ id }, outcome) => void recorded.push({ id, ...outcome }),
    emitProgress: () => {},
    started: () => {},
    failed: () => {},
    ...more,
  });
  return { done, recorded, controller, clock };
}

describe('a batch of calls', () => {
  it('runs at most 16 at once, and the next as soon as one is recorded (TURN-05, TBR-03)', async () => {
    const { tool, open, most } = held('wait');
    const calls = Array.from({ length: 20 }, (_, n) => call(`c${n}`, 'wait'));
    let release = () => {};
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    const recorded: string[] = [];
    const record = async ({ id }: CallPart) => {
      await slow;
      recorded.push(id);
    };
    const { done } = start(calls, [tool], { record });
    await turns(3);
    expect(open).toHaveLength(16);
    open[0]!();
    await turns(3);
    // Its outcome is not durable yet, so its place is not free.
    expect(open).toHaveLength(16);
    release();
    await turns(3);
    expect(open).toHaveLength(17);
    while (recorded.length < 20) {
      for (const end of open) end();
      await turns(2);
    }
    await done;
    expect(most()).toBe(16);
  });

  it('runs one by one as soon as one called tool asks for it (TURN-05, TOOL-05)', async () => {
    const free = held('free');
    const lock = held('lock', { parallel: false });
    const { done, recorded } = start([call('a', 'free'), call('b', 'lock')], [free.tool, lock.tool]);
    await turns(3);
    expect([free.open.length, lock.open.length]).toEqual([1, 0]);
    free.open[0]!();
    await turns(3);
    lock.open[0]!();
    await done;
    expect(recorded.map((one) => one.id)).toEqual(['a', 'b']);
  });

  it('measures the duration of each call', async () => {
    const { tool, open } = held('wait');
    const { done, recorded, clock } = start([call('a', 'wait')], [tool]);
    await clock.advance(250);
    open[0]!();
    await done;
    expect(recorded).toMatchObject([{ status: 'ok', durationMs: 250 }]);
  });

  it('starts nothing more and records nothing once the signal fired (TBR-04, TBR-06)', async () => {
    const { tool, open } = held('wait', { parallel: false });
    const { done, recorded, controller } = start([call('a', 'wait'), call('b', 'wait')], [tool]);
    await turns(2);
    controller.abort(new Error('stop'));
    await turns(3);
    await done;
    expect(open).toHaveLength(1);
    open[0]!();
    await turns(3);
    expect(recorded).toEqual([]);
  });

  it('rejects when an outcome cannot be recorded (TBR-03)', async () => {
    const tool = defineTool({ name: 'look', description: 'Looks.', run: () => 1 });
    const record = () => Promise.reject(new Error('no store'));
    await expect(start([call('a', 'look')], [tool], { record }).done).rejects.toThrow('no store');
  });
});

describe('a call that cannot run', () => {
  it('is told apart: cut off, no JSON, no such tool, arguments that do not fit (TCALL-03, TCALL-16, TCALL-17, TURN-08)', async () => {
    let runs = 0;
    const tool = defineTool({
      name: 'lookup_order',
      description: 'Looks.',
      input: v.object({ id: v.string() }),
      run: () => {
        runs += 1;
      },
    });
    const calls = [
      call('json', 'lookup_order', '{"id":'),
      call('list', 'lookup_order', '[]'),
      call('tool', 'LookupOrder'),
      call('shape', 'lookup_order', '{"id":7}'),
    ];
    const { done, recorded } = start(calls, [tool]);
    await done;
    expect(recorded.map((one) => one.status)).toEqual(['error', 'error', 'error', 'error']);
    const texts = Object.fromEntries(recorded.map((one) => [one.id, one.status === 'error' ? one.text : '']));
    expect(texts.json).toMatch(/not a JSON object .* valid JSON/);
    expect(texts.list).toMatch(/an object is needed/);
    expect(texts.tool).toBe(
      'Unknown tool "LookupOrder". Did you mean "lookup_order"? Available: lookup_order.',
    );
    expect(texts.shape).toContain('id');
    expect(runs).toBe(0);
    const cut = start(
      [call('cut', 'lookup_order', '{"id":'), call('whole', 'lookup_order', '{"id":"7"}')],
      [tool],
      { cut: true },
    );
    await cut.done;
    expect(cut.recorded).toMatchObject([
      { status: 'error', text: expect.stringContaining('cut off') },
      { status: 'ok' },
    ]);
  });

  it('has no arguments when there is no text, and an object otherwise (TURN-08)', () => {
    expect(parseArguments(' ')).toEqual({ ok: true, value: {} });
    expect(parseArguments('{"a":1}')).toEqual({ ok: true, value: { a: 1 } });
    for (const text of ['null', '7', '"x"', '[1]', '{a:1}']) expect(parseArguments(text).ok).toBe(false);
  });
});
