'use agent';
import { useInitialData, useModel, usePersistentState, useTool } from '@flue/runtime';
import * as v from 'valibot';
import { lookupOrder } from '../tools/lookup-order.ts';

export function OrderDesk() {
  useModel('anthropic/claude-haiku-4-5', { thinkingLevel: 'low' });
  const customer = useInitialData<{ customerId: string }>();
  const [attempts, setAttempts] = usePersistentState('attempts', 0);
  if (attempts < 3) useTool(lookupOrder);
  useTool({
    name: 'note_attempt',
    description: 'Count one more attempt.',
    run() {
      setAttempts((count) => count + 1);
    },
  });
  return `You help customer ${customer.customerId} with orders.`;
}
OrderDesk.agentName = 'order-desk';
OrderDesk.initialData = v.object({ customerId: v.pipe(v.string(), v.minLength(1)) });
OrderDesk.durability = { maxAttempts: 3 };
