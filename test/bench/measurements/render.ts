import { useInstruction, useModel, useTool } from '@flue/runtime';
import { renderAgent } from '@flue/runtime/testing';
import * as v from 'valibot';
import { compare, type Measurement, timed } from '../support/measurement.ts';

const TOOLS = Array.from({ length: 30 }, (_, index) => ({
  name: `tool_${index}`,
  description: `Does the work number ${index}, and tells what came of it.`,
  input: v.object({ id: v.string(), count: v.number() }),
  run: () => ({ done: index }),
}));
const INSTRUCTIONS = Array.from({ length: 20 }, (_, index) => `Rule ${index}: keep to the point.`);
const RENDERS = 500;

function Busy() {
  useModel('offline/script');
  for (const tool of TOOLS) useTool(tool);
  for (const instruction of INSTRUCTIONS) useInstruction(instruction);
  return 'Follow the rules.';
}

/** One render of an agent that declares a lot, next to writing down as JSON what it declares. */
export const render: Measurement = {
  name: 'render',
  async run() {
    const declared = { tools: TOOLS, instructions: INSTRUCTIONS };
    const each = (work: () => unknown) => async () =>
      (await timed(() => {
        for (let index = 0; index < RENDERS; index++) work();
      })) / RENDERS;
    await each(() => renderAgent(Busy))();
    return [
      await compare(
        {
          what: 'render of 30 tools and 20 instructions',
          unit: 'ms',
          beside: 'JSON.stringify of the same',
          target: '< 0.1 ms',
        },
        { ours: each(() => renderAgent(Busy)), peer: each(() => JSON.stringify(declared)) },
      ),
    ];
  },
};
