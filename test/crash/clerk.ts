import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { dispatch, init, useModel, usePersistentState, useTool } from '@flue/runtime';
import { type ScriptStep, scriptModel } from '@flue/runtime/testing';

/* Short conversations for processes that come and go: each message asks for two tool calls and a streamed answer. */

/** How long a tool works, milliseconds: enough for a kill to find it at work. */
const WORK_MS = 5;

export function Clerk() {
  useModel('offline/script');
  const [, setStamped] = usePersistentState('stamped', 0);
  useTool({
    name: 'stamp',
    description: 'Stamps a form.',
    async run({ toolCallId }) {
      trace(`stamp ${toolCallId}`);
      await delay(WORK_MS);
      setStamped((before) => before + 1);
      return { stamped: true };
    },
  });
  useTool({
    name: 'file',
    description: 'Files a copy of a form.',
    async run({ toolCallId }) {
      trace(`file ${toolCallId}`);
      await delay(2 * WORK_MS);
      return { filed: true };
    },
  });
  return 'Stamp forms and file a copy of each.';
}
// A run may die more often than an ordinary budget of attempts allows; that budget is tested elsewhere.
Clerk.durability = { maxAttempts: 100_000 };

/** A trace of each execution outside the process: no crash takes it back. */
function trace(line: string): void {
  appendFileSync(process.env.TRACE as string, `${line} by ${process.pid}\n`);
}

export interface Form {
  /** the instance */
  readonly to: string;
  readonly form: string;
}

/** What a process is told to do: send a form to an instance, or stop what that instance is at. */
export type Order = Form | { readonly to: string; readonly abort: true };

/** Again is safe: a form is its own idempotency key. */
export function sendForm(to: string, form: string) {
  return dispatch(Clerk, { id: to, message: `Stamp form ${form}.`, idempotencyKey: form });
}

export async function carryOut(order: Order): Promise<void> {
  if ('form' in order) await sendForm(order.to, order.form);
  else await init(Clerk, { id: order.to }).abort();
}

/** Installs the model in this process; what it says follows from the conversation alone. */
export function playClerk(): void {
  let calls = 0;
  const call = (name: string) => ({
    name,
    arguments: {},
    id: `call_${process.pid}_${Date.now()}_${calls++}`,
  });
  scriptModel({
    steps({ messages }): ScriptStep {
      const answered = messages.findLastIndex(
        (message) => message.role === 'assistant' && message.stop !== 'toolUse',
      );
      const worked = messages.slice(answered + 1).some((message) => message.role === 'tool');
      if (worked) return { text: ['Stamped ', 'and filed ', 'it.'], chunkDelayMs: 30 };
      return { toolCalls: [call('stamp'), call('file')] };
    },
  });
}
