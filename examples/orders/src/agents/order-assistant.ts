'use agent';
import { useModel, useTool } from '@flue/runtime';
import { lookupOrder } from '../tools/lookup-order.ts';

export function OrderAssistant() {
  // Needs no key and no network. With a key at hand, name a real one: 'anthropic/claude-haiku-4-5'.
  useModel('offline/demo');
  useTool(lookupOrder);
  return 'You answer customers of a furniture shop. Look the order up before you say anything about it.';
}
