import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
import { OrderId, page } from './schemas.ts';

/** The definition that the agent mounts under a condition. */
export const lookupOrder = defineTool({
  name: 'lookup_order',
  description: 'Look up the status of an order.',
  input: v.object({ orderId: OrderId, ...page(20).entries }),
  output: v.object({ status: v.picklist(['open', 'shipped']) }),
  run: ({ data }) => ({ status: data.orderId === 'A-1' ? ('open' as const) : ('shipped' as const) }),
});
