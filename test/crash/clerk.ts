import { appendFileSync } from 'node:fs';
import { dispatch, init, useModel, usePersistentState, useTool } from '@flue/runtime';
import { type ScriptStep, scriptModel } from '@flue/runtime/testing';

/* Short conversations for processes that come and go: every message asks for one tool call and a streamed answer. */

export function Clerk() {
  useModel('offline/script');
  const [, setStamped] = usePersistentState('stamped', 0);
  useTool({
    name: 'stamp',
    description: 'Stamps a form.',
    run({ toolCallId }) {
      appendFileSync(process.env.TRACE as string, `stamp ${toolCallId} by ${process.pid}\n`);
      setStamped((before) => before + 1);
      return { stamped: true };
    },
  });
  return 'Stamp forms.';
}
// A run may die more often than an ordinary budget of attempts allows; that budget is tested elsewhere.
Clerk.durability = { maxAttempts: 1000 };

/** What a process is told to do: send a form to an instance, or stop what that instance is at. */
export type Order = { readonly to: string } & ({ readonly form: string } | { readonly abort: true });

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
  scriptModel({
    steps({ messages }): ScriptStep {
      const answered = messages.findLastIndex(
        (message) => message.role === 'assistant' && message.stop !== 'toolUse',
      );
      const stamped = messages.slice(answered + 1).some((message) => message.role === 'tool');
      if (stamped) return { text: ['Stamped ', 'it.'], chunkDelayMs: 55 };
      return { toolCalls: [{ name: 'stamp', arguments: {}, id: `call_${process.pid}_${calls++}` }] };
    },
  });
}
