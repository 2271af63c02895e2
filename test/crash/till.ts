import { appendFileSync } from 'node:fs';
import { type DispatchReceipt, dispatch, init, useModel, usePersistentState, useTool } from '@flue/runtime';
import { type ScriptStep, scriptModel } from '@flue/runtime/testing';

/*
 * The scripted run that is killed: a delivery that calls two tools at once, another one that arrives meanwhile and
 * joins, persistent state written by a tool, an answer that streams long enough to be drafted.
 *
 * Everything is a function of what is durable, so that a process which takes over plays the same run to its end.
 */

const MESSAGES = { first: 'Charge order 7.', second: 'And send the receipt.' } as const;
const QUESTION = 'How many did you charge?';

export function Till() {
  useModel('offline/script');
  const [charged, setCharged] = usePersistentState('charged', 0);
  useTool({
    name: 'charge_card',
    description: 'Charges the card of order 7.',
    async run({ toolCallId }) {
      trace(`charge_card ${toolCallId}`);
      if (process.env.HANG === 'tool') await new Promise(() => {});
      await send('second');
      setCharged((before) => before + 1);
      return { charged: true };
    },
  });
  useTool({
    name: 'print_receipt',
    description: 'Prints the receipt of order 7.',
    run({ toolCallId }) {
      trace(`print_receipt ${toolCallId}`);
      return { printed: true };
    },
  });
  useTool({ name: 'count_charged', description: 'Tells how many were charged.', run: () => charged });
  return 'Charge cards and print receipts.';
}

/** A trace of each execution outside the process: no crash takes it back. */
function trace(line: string): void {
  appendFileSync(process.env.TRACE as string, `${line} by ${process.pid}\n`);
}

export const till = () => init(Till, { id: '1' });

/** Sends a delivery of the run; again is safe, since its name is its idempotency key. */
export function send(name: keyof typeof MESSAGES): Promise<DispatchReceipt> {
  return dispatch(Till, { id: '1', message: MESSAGES[name], idempotencyKey: name });
}

/** What the state says was charged, asked by a message of its own. */
export async function askCharged(): Promise<number> {
  const { text } = await till().dispatch(QUESTION);
  return Number(text);
}

/** Installs the model of the run in this process. */
export function playTill(): void {
  scriptModel({
    steps({ messages }): ScriptStep {
      const asked = messages.findLastIndex((message) => saysText(message, QUESTION));
      const results = messages.slice(asked + 1).filter((message) => message.role === 'tool');
      if (asked !== -1) {
        return results[0]
          ? { text: textOf(results[0]) }
          : { toolCalls: [{ name: 'count_charged', arguments: {} }] };
      }
      if (results.length > 0) return { text: ['Charged ', 'and ', 'printed.'], chunkDelayMs: 60 };
      const calls = ['charge_card', 'print_receipt'].map((name) => ({ name, arguments: {} }));
      return { toolCalls: calls };
    },
  });
}

/** The run as crash folders play it. */
export const tillRun = {
  worker: new URL('./till-worker.ts', import.meta.url),
  agent: Till,
  playModel: playTill,
};

type Message = { readonly role: string; readonly content: readonly object[] };

function textOf({ content }: Message): string {
  return content.map((part) => ('text' in part ? String(part.text) : '')).join('');
}

function saysText(message: Message, text: string): boolean {
  return message.role === 'user' && textOf(message).includes(text);
}
