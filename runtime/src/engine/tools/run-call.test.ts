import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { LogLine } from '../logger.ts';
import { defineTool } from './define-tool.ts';
import {
  ToolInputValidationError,
  ToolOutputSerializationError,
  ToolOutputValidationError,
} from './errors.ts';
import { callTool, parseToolArguments, type ToolCallResult } from './run-call.ts';
import type { ToolContext, ToolDefinition } from './tool-definition.ts';

/** A timer that the test fires. */
function heldTimer() {
  const pending = new Map<() => void, number>();
  return {
    pending,
    timer: (ms: number, fn: () => void) => {
      pending.set(fn, ms);
      return () => pending.delete(fn);
    },
    fire() {
      for (const fn of pending.keys()) fn();
    },
  };
}

function call(
  tool: object,
  args: unknown = {},
  more: { signal?: AbortSignal; timer?: (ms: number, fn: () => void) => () => void; lines?: LogLine[] } = {},
): Promise<ToolCallResult> {
  const definition = defineTool({ name: 'probe', description: 'd', ...tool } as never) as ToolDefinition;
  return callTool({
    tool: definition,
    toolCallId: 'call_1',
    arguments: parseToolArguments(definition, args),
    signal: more.signal ?? new AbortController().signal,
    timer: more.timer ?? (() => () => {}),
    emitProgress: (line) => more.lines?.push(line),
  });
}

const macrotask = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('arguments', () => {
  it('reach run as the schema parsed them (TCALL-02)', async () => {
    const input = v.object({ n: v.pipe(v.string(), v.transform(Number)) });
    const result = await call({ input, run: ({ data }: { data: unknown }) => data }, { n: '4' });
    expect(result).toEqual({ kind: 'ok', output: { n: 4 } });
  });

  it('that do not fit never reach run; the model reads each issue with its path (TCALL-03)', async () => {
    let ran = false;
    const input = v.object({ orderId: v.string(), lines: v.array(v.object({ sku: v.string() })) });
    const result = await call({ input, run: () => (ran = true) }, { lines: [{ sku: 1 }] });
    expect(ran).toBe(false);
    expect(result).toMatchObject({
      kind: 'error',
      error: {
        type: 'tool_input_validation',
        meta: { tool: 'probe', issues: [{ path: ['orderId'] }, { path: ['lines', 0, 'sku'] }] },
      },
    });
    expect(result).toMatchObject({ error: expect.any(ToolInputValidationError) });
    const { text } = result as { text: string };
    expect(text).toContain('orderId: Invalid key');
    expect(text).toContain('lines[0].sku: Invalid type: Expected string but received 1');
    expect(text).toContain('Correct them and call the tool again.');
  });

  it('are not coerced before the schema sees them (TCALL-04)', async () => {
    const input = v.object({ n: v.number() });
    expect(await call({ input, run: () => 1 }, { n: '1' })).toMatchObject({ kind: 'error' });
    expect(await call({ input, run: () => 1 }, null)).toMatchObject({ kind: 'error' });
    expect(await call({ input, run: () => 1 }, '{"n":1}')).toMatchObject({ kind: 'error' });
  });

  it('count as an empty object when missing (TCALL-04)', () => {
    const tool = {
      name: 't',
      description: 'd',
      input: v.object({ n: v.optional(v.number(), 7) }),
      run: () => 1,
    };
    const definition = defineTool(tool) as ToolDefinition;
    expect(parseToolArguments(definition, undefined)).toEqual({ ok: true, data: { n: 7 } });
  });

  it('are ignored without an input schema, and there is no data (TCALL-05)', async () => {
    const result = await call({ run: (context: object) => 'data' in context }, { anything: 1 });
    expect(result).toEqual({ kind: 'ok', output: false });
  });

  it('whose check throws fail the call, not the caller (TCALL-09)', async () => {
    const check = v.check<{ a: string }, string>(() => {
      throw new Error('lookup table is missing');
    }, 'x');
    const input = v.pipe(v.object({ a: v.string() }), check);
    expect(await call({ input, run: () => 1 }, { a: '' })).toMatchObject({
      kind: 'error',
      text: 'lookup table is missing',
    });
  });
});

describe('the result', () => {
  it('is a JSON snapshot, and no shape of it is special (TCALL-06, JSON-02)', async () => {
    const returned = { output: 'data like any other', list: [1] };
    const result = await call({ run: () => returned });
    returned.list.push(2);
    expect(result).toEqual({ kind: 'ok', output: { output: 'data like any other', list: [1] } });
  });

  it('is null for undefined, without an output schema only (TCALL-07)', async () => {
    expect(await call({ run: () => {} })).toEqual({ kind: 'ok', output: null });
    const output = v.optional(v.string());
    expect(await call({ output, run: () => undefined })).toMatchObject({
      kind: 'error',
      error: { type: 'tool_output_serialization', meta: { tool: 'probe' } },
    });
  });

  it('is what the output schema makes of it (TCALL-08)', async () => {
    const output = v.object({ n: v.pipe(v.string(), v.transform(Number)) });
    expect(await call({ output, run: () => ({ n: '3', more: true }) })).toEqual({
      kind: 'ok',
      output: { n: 3 },
    });
  });

  it('that does not fit the output schema is an error naming the paths (TCALL-08)', async () => {
    const output = v.object({ stock: v.object({ count: v.number() }) });
    const result = await call({ output, run: () => ({ stock: { count: 'many' } }) });
    expect(result).toMatchObject({
      kind: 'error',
      text: expect.stringContaining('stock.count: Invalid type'),
      error: { meta: { tool: 'probe', issues: [{ path: ['stock', 'count'] }] } },
    });
    expect(result).toMatchObject({ error: expect.any(ToolOutputValidationError) });
  });

  it('that is missing where the output schema needs one names the rule that finds it (ERR-12)', async () => {
    const rule = { error: { meta: { rule: 'FLUE3011' } } };
    expect(await call({ output: v.string(), run: () => {} })).toMatchObject(rule);
    expect(await call({ output: v.string(), run: () => 1 })).not.toMatchObject(rule);
  });

  it('that JSON cannot hold is an error naming the path (TCALL-08)', async () => {
    const result = await call({ run: () => ({ rows: [{ at: new Map() }] }) });
    expect(result).toMatchObject({
      kind: 'error',
      text: expect.stringContaining('output.rows[0].at is an instance of Map'),
      error: { meta: { tool: 'probe', rule: 'FLUE3010' } },
    });
    expect(result).toMatchObject({ error: expect.any(ToolOutputSerializationError) });
  });

  it('whose reading throws is an error too (TCALL-08)', async () => {
    const run = () => ({
      get broken() {
        throw new Error('closed cursor');
      },
    });
    expect(await call({ run })).toMatchObject({
      kind: 'error',
      text: expect.stringContaining('closed cursor'),
      error: { type: 'tool_output_serialization' },
    });
  });
});

describe('a failing run', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('no such order');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no such order'))],
  ])('that %s gives the model its message (TCALL-09)', async (_, run) => {
    expect(await call({ run })).toMatchObject({ kind: 'error', text: 'no such order' });
  });
});

describe('the context of a call', () => {
  it('holds the id of the call and its signal (TCALL-13, TCALL-14)', async () => {
    const { signal } = new AbortController();
    let seen: ToolContext | undefined;
    const run = (context: ToolContext) => {
      seen = context;
    };
    await call({ run }, {}, { signal });
    expect(seen).toMatchObject({ toolCallId: 'call_1', signal });
  });

  it('logs with tool and call among the attributes, outside the result (TCALL-15)', async () => {
    const lines: LogLine[] = [];
    const run = ({ log }: ToolContext) => log.warn('slow', { ms: 12 });
    expect(await call({ run }, {}, { lines })).toEqual({ kind: 'ok', output: null });
    expect(lines).toEqual([
      { level: 'warn', message: 'slow', attributes: { ms: 12, tool: 'probe', toolCallId: 'call_1' } },
    ]);
  });
});

describe('an abort', () => {
  it('before the call starts keeps run from running', async () => {
    let ran = false;
    const result = await call({ run: () => (ran = true) }, {}, { signal: AbortSignal.abort() });
    expect(result).toEqual({ kind: 'aborted' });
    expect(ran).toBe(false);
  });

  it('ends a call that listens (TCALL-13)', async () => {
    const controller = new AbortController();
    const run = ({ signal }: ToolContext) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('own words'))));
    const result = call({ run }, {}, { signal: controller.signal });
    controller.abort();
    expect(await result).toEqual({ kind: 'aborted' });
  });

  it('abandons a call that ignores it, and drops what it says later (TCALL-13, TBR-06)', async () => {
    const controller = new AbortController();
    const lines: LogLine[] = [];
    let finish = () => {};
    const run = async ({ log }: ToolContext) => {
      await new Promise<void>((resolve) => (finish = resolve));
      log.info('late');
      throw new Error('late');
    };
    const result = call({ run }, {}, { signal: controller.signal, lines });
    controller.abort();
    expect(await result).toEqual({ kind: 'aborted' });
    finish();
    await macrotask();
    expect(lines).toEqual([]);
  });

  it('keeps a result that is ready by the next macrotask (TBR-04)', async () => {
    const controller = new AbortController();
    const run = ({ signal }: ToolContext) =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve('rolled back')));
    const result = call({ run }, {}, { signal: controller.signal });
    controller.abort();
    expect(await result).toEqual({ kind: 'ok', output: 'rolled back' });
  });
});

describe('a limit in time', () => {
  it('ends the call as a tool error that states it, and fires the signal (TOOL-14)', async () => {
    const clock = heldTimer();
    const lines: LogLine[] = [];
    let reason: unknown;
    const run = ({ signal, log }: ToolContext) => {
      log.info('started');
      signal?.addEventListener('abort', () => (reason = signal.reason));
      return new Promise(() => {});
    };
    const result = call({ timeoutMs: 2500, run }, {}, { timer: clock.timer, lines });
    expect([...clock.pending.values()]).toEqual([2500]);
    clock.fire();
    expect(await result).toMatchObject({ kind: 'error', text: expect.stringContaining('2500 ms') });
    expect(reason).toMatchObject({ name: 'TimeoutError' });
    expect(lines.map(({ message }) => message)).toEqual(['started']);
  });

  it('drops the late answer of a run that ignores its signal (TOOL-14)', async () => {
    const clock = heldTimer();
    const run = ({ signal }: ToolContext) =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve('late')));
    const result = call({ timeoutMs: 1, run }, {}, { timer: clock.timer });
    clock.fire();
    expect(await result).toMatchObject({ kind: 'error' });
  });

  it('leaves nothing behind when the call ends in time (TOOL-14)', async () => {
    const clock = heldTimer();
    const result = await call({ timeoutMs: 1000, run: () => 'done' }, {}, { timer: clock.timer });
    expect(result).toEqual({ kind: 'ok', output: 'done' });
    expect(clock.pending.size).toBe(0);
  });

  it('gives way to an abort of the submission', async () => {
    const controller = new AbortController();
    const clock = heldTimer();
    const run = () => new Promise(() => {});
    const result = call({ timeoutMs: 1000, run }, {}, { timer: clock.timer, signal: controller.signal });
    controller.abort();
    expect(await result).toEqual({ kind: 'aborted' });
    expect(clock.pending.size).toBe(0);
  });
});
