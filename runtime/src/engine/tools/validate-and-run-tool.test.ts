import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { defineTool } from './define-tool.ts';
import { validateAndRunTool } from './validate-and-run-tool.ts';

const double = defineTool({
  name: 'double',
  description: 'd',
  input: v.object({ n: v.number() }),
  output: v.object({ twice: v.number() }),
  run: ({ data, toolCallId, log }) => {
    log.info(toolCallId);
    return { twice: data.n * 2 };
  },
});

describe('validateAndRunTool', () => {
  it('resolves with the snapshot of the parsed output (TOOL-11)', async () => {
    const { twice } = await validateAndRunTool(double, { n: 2 });
    expect(twice).toBe(4);
  });

  it('rejects with the typed errors of a call (TOOL-11)', async () => {
    await expect(validateAndRunTool(double, { n: '2' } as never)).rejects.toMatchObject({
      type: 'tool_input_validation',
    });
    const wrong = { ...double, run: () => ({ twice: 'x' }) as never };
    await expect(validateAndRunTool(wrong, { n: 2 })).rejects.toMatchObject({
      type: 'tool_output_validation',
    });
  });

  it('rejects with what run throws, untouched (CLS-02)', async () => {
    const cause = new RangeError('far');
    const run = () => {
      throw cause;
    };
    await expect(validateAndRunTool({ name: 't', description: 'd', run })).rejects.toBe(cause);
  });

  it('makes up an id per call, and a signal when none is given (TOOL-11)', async () => {
    const ids = new Set<string>();
    const tool = defineTool({
      name: 't',
      description: 'd',
      run({ toolCallId, signal }) {
        ids.add(toolCallId);
        return signal?.aborted;
      },
    });
    expect(await validateAndRunTool(tool)).toBe(false);
    await validateAndRunTool(tool);
    expect(ids.size).toBe(2);
  });

  it('gives a durable tool steps with the same rules, which nothing keeps (STEP-10, TOOL-11)', async () => {
    let ran = 0;
    const tool = defineTool({
      name: 't',
      description: 'd',
      durable: true,
      async run({ step }) {
        const made = await step.do('make', () => {
          ran += 1;
          return { at: new Date(0) };
        });
        const again = await step.do('make', () => 1).catch((error: Error) => error.message);
        const bad = await step.do('bad', () => new Map()).catch((error: Error) => error.message);
        return { made, again, bad };
      },
    });
    const expected = {
      made: { at: '1970-01-01T00:00:00.000Z' },
      again: expect.stringContaining('FLUE3102'),
      bad: expect.stringContaining('FLUE3107'),
    };
    expect(await validateAndRunTool(tool)).toEqual(expected);
    expect(await validateAndRunTool(tool)).toEqual(expected);
    expect(ran).toBe(2);
  });

  it('rejects with the reason of its signal (ERR-09)', async () => {
    const controller = new AbortController();
    const tool = defineTool({ name: 't', description: 'd', run: () => new Promise(() => {}) });
    const result = validateAndRunTool(tool, undefined, controller.signal);
    controller.abort();
    await expect(result).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('checks the definition first (TOOL-07)', async () => {
    await expect(
      validateAndRunTool({ ...double, durrable: true } as typeof double, { n: 1 }),
    ).rejects.toThrow('[flue] validateAndRunTool(): tool "double": "durrable"');
  });
});
