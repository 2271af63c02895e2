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
