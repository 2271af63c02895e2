import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
import { inventory } from '../shared/inventory.ts';

export const checkInventory = defineTool({
  name: 'check_inventory',
  description: 'Check the stock level of one SKU and name the warehouse that holds it.',
  input: v.object({ sku: v.string() }),
  output: v.object({ inStock: v.number(), warehouse: v.string() }),
  async run({ data }) {
    return inventory.lookup(data.sku);
  },
});
