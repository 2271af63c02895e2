import { defineTool, init, useModel, useSandbox, useTool, virtual } from '@flue/runtime';
import { start } from '@flue/runtime/node';
import { scriptModel } from '@flue/runtime/testing';
import * as v from 'valibot';

/** One conversation over everything that validates, in a process that cannot compile text; tells what came of it. */

const lookup = defineTool({
  name: 'lookup',
  description: 'Looks an order up.',
  input: v.object({ id: v.pipe(v.string(), v.regex(/^\d+$/)), note: v.optional(v.nullable(v.string())) }),
  output: v.object({ eta: v.picklist(['Friday', 'Monday']), lines: v.array(v.object({ n: v.number() })) }),
  run: ({ data }) => ({ eta: data.id === '7' ? 'Friday' : 'never', lines: [{ n: 1 }] }) as never,
});

function Desk() {
  useModel('offline/script');
  useTool(lookup);
  useSandbox(virtual({ files: { a: 'x' } }));
  return 'Answer about orders.';
}
Desk.initialData = v.object({ desk: v.string() });

let compiles = true;
try {
  // biome-ignore lint/security/noGlobalEval: that it throws is what makes this run a proof
  eval('1');
} catch {
  compiles = false;
}
const call = (name: string, args: object) => ({ toolCalls: [{ name, arguments: args }] });
scriptModel({
  steps: [
    call('lookup', { id: '7' }),
    call('lookup', { id: 'x' }),
    call('lookup', { id: '8' }),
    call('bash', { command: 'cat a | sed s/x/y/' }),
    call('grep', { pattern: 'x' }),
    { text: 'Done.' },
  ],
});
const seen: string[] = [];
const flue = await start({ agents: [Desk] });
const reply = await init(Desk, { id: '1' }).dispatch(
  { message: 'Hi', initialData: { desk: 'eu' } },
  {
    onEvent: (chunk) => {
      if (chunk.type === 'tool-output') seen.push(JSON.stringify(chunk.output));
      if (chunk.type === 'tool-output-error') seen.push(chunk.errorText);
    },
  },
);
await flue.stop();
console.log(JSON.stringify({ compiles, text: reply.text, seen }));
