import * as v from 'valibot';
import { describe, expectTypeOf, it } from 'vitest';
import { useTool } from '../hooks/use-tool.ts';
import { defineTool } from './define-tool.ts';
import type { ToolContext, ToolDefinition, ToolInput, ToolOutput } from './tool-definition.ts';
import type { ToolStep } from './tool-step.ts';

const input = v.object({
  id: v.string(),
  at: v.pipe(
    v.string(),
    v.transform((text) => new Date(text)),
  ),
});
const output = v.object({ total: v.pipe(v.string(), v.transform(Number)) });

const both = defineTool({ name: 'both', description: 'd', input, output, run: () => ({ total: '1' }) });
const neither = defineTool({ name: 'neither', description: 'd', run: () => {} });

describe('the types of a tool', () => {
  it('are inferred from its schemas, arguments before and output after parsing (TOOL-08)', () => {
    expectTypeOf<ToolInput<typeof both>>().toEqualTypeOf<{ id: string; at: string }>();
    expectTypeOf<ToolOutput<typeof both>>().toEqualTypeOf<{ total: number }>();
    expectTypeOf<ToolInput<typeof neither>>().toEqualTypeOf<undefined>();
    expectTypeOf<ToolOutput<typeof neither>>().toEqualTypeOf<unknown>();
  });

  it('give run the parsed data, and none without input (TCALL-05)', () => {
    expectTypeOf<ToolContext<typeof input>['data']>().toEqualTypeOf<{ id: string; at: Date }>();
    expectTypeOf<ToolContext>().not.toHaveProperty('data');
    defineTool({
      name: 't',
      description: 'd',
      input,
      run({ data, toolCallId, signal, log }) {
        expectTypeOf(data).toEqualTypeOf<{ id: string; at: Date }>();
        expectTypeOf(toolCallId).toEqualTypeOf<string>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal | undefined>();
        log.info('x', { n: 1 });
      },
    });
    // @ts-expect-error there is no `data` without `input`
    defineTool({ name: 't', description: 'd', run: ({ data }) => data });
  });

  it('give run steps where the tool is durable, and nowhere else (FLAG-02)', () => {
    expectTypeOf<ToolContext<undefined, false, true>['step']>().toEqualTypeOf<ToolStep>();
    expectTypeOf<ToolContext>().not.toHaveProperty('step');
    const durable = defineTool({
      name: 't',
      description: 'd',
      input,
      durable: true,
      async run({ data, step }) {
        expectTypeOf(data).toEqualTypeOf<{ id: string; at: Date }>();
        expectTypeOf(step.do('one', async () => 1)).toEqualTypeOf<Promise<number>>();
      },
    });
    const tools: ToolDefinition[] = [durable];
    void tools;
    // @ts-expect-error there is no `step` without `durable`
    defineTool({ name: 't', description: 'd', run: ({ step }) => step });
    // @ts-expect-error nor with `durable: false`
    defineTool({ name: 't', description: 'd', durable: false, run: ({ step }) => step });
  });

  it('hold run to the output schema (TCALL-08)', () => {
    // @ts-expect-error `total` must be a string here
    defineTool({ name: 't', description: 'd', output, run: () => ({ total: 1 }) });
    defineTool({ name: 't', description: 'd', output, run: async () => ({ total: '1' }) });
  });

  it('take interfaces and dates as a result without a schema (TCALL-06)', () => {
    interface Order {
      status: string;
      eta: Date;
    }
    defineTool({ name: 't', description: 'd', run: (): Order => ({ status: 's', eta: new Date(0) }) });
  });

  it('let any definition stand where one is asked for, and type data inline (MOUNT-01)', () => {
    const tools: ToolDefinition[] = [both, neither];
    const mount = () => {
      for (const tool of tools) useTool(tool);
      useTool({
        name: 't',
        description: 'd',
        input,
        run({ data }) {
          expectTypeOf(data.at).toEqualTypeOf<Date>();
        },
      });
    };
    expectTypeOf(mount).toBeFunction();
  });
});
