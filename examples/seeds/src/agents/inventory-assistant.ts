'use agent';
import { useModel, useTool } from '@flue/runtime';
import { checkInventory } from '../tools/check-inventory.ts';

export function InventoryAssistant() {
  useModel(process.env.SEEDS_MODEL ?? 'anthropic/claude-haiku-4-5');
  useTool(checkInventory);
  return 'Tell the shop floor what is in stock and in which warehouse it lies.';
}
