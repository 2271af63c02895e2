import { join } from 'node:path';
import { defineTool, useModel, useTool } from '@flue/runtime';
import { sqlite, start } from '@flue/runtime/node';
import { type ScriptModel, scriptModel } from '@flue/runtime/testing';
import * as v from 'valibot';
import { withFolder } from './folder.ts';

export const lookUpOrder = defineTool({
  name: 'look_up_order',
  description: 'Looks an order up.',
  input: v.object({ orderId: v.string() }),
  run: ({ data }) => ({ orderId: data.orderId, eta: 'Friday' }),
});

/** The job of every measurement: one tool call, two model calls. */
export function Orders() {
  useModel('offline/script');
  useTool(lookUpOrder);
  return 'You answer customers of a furniture shop.';
}

/** A model that answers at once. */
export function playAnswers(): ScriptModel {
  return scriptModel({
    scope: 'conversation',
    loop: true,
    steps: [
      { toolCalls: [{ name: 'look_up_order', arguments: { orderId: '7' } }] },
      { text: 'Order 7 arrives on Friday.' },
    ],
  });
}

/** A model that does not answer before the measurement is over. */
export function playSilence(): void {
  scriptModel({ loop: true, steps: [{ text: 'Too late.', delayMs: 600_000 }] });
}

/** Runs `use` with a runtime on a new `file`; `look` sees the file when the runtime has stopped. */
export function withOrders<T, R = T>(
  use: (file: string) => Promise<T>,
  o: {
    readonly execution?: Record<string, number>;
    readonly look?: (file: string, result: T) => R;
  } = {},
): Promise<R> {
  return withFolder(async (folder) => {
    const file = join(folder, 'flue.db');
    const flue = await start({ agents: [Orders], db: sqlite(file), execution: o.execution ?? {} });
    let result: T;
    try {
      result = await use(file);
    } finally {
      await flue.stop({ timeoutMs: 100 });
    }
    return o.look ? o.look(file, result) : (result as unknown as R);
  });
}
