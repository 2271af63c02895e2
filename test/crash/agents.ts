import { appendFileSync } from 'node:fs';
import { defineTool, useModel, useTool } from '@flue/runtime';
import * as v from 'valibot';

/** Leaves a trace of each execution outside the process, then hangs or answers as the test asks. */
const charge = defineTool({
  name: 'charge_card',
  description: 'Charges the card of an order.',
  input: v.object({ orderId: v.string() }),
  async run({ data }) {
    appendFileSync(process.env.TRACE as string, `charged ${data.orderId} by ${process.pid}\n`);
    if (process.env.HANG === 'tool') await new Promise(() => {});
    return { charged: data.orderId };
  },
});

export function Cashier() {
  useModel('offline/script');
  useTool(charge);
  return 'Charge orders.';
}
