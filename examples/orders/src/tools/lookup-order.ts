import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
import { findOrder } from '../shared/orders.ts';

export const lookupOrder = defineTool({
  name: 'lookup_order',
  description: 'Look up one order by its number: what was ordered, and where it is now.',
  input: v.object({ orderNumber: v.pipe(v.number(), v.integer(), v.minValue(1)) }),
  output: v.object({ order: v.number(), item: v.string(), status: v.string() }),
  async run({ data, log }) {
    log.info('order looked up', { orderNumber: data.orderNumber });
    const { number, item, status } = findOrder(data.orderNumber);
    return { order: number, item, status };
  },
});
