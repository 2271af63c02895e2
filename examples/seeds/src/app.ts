import { dispatch } from '@flue/runtime';
import { createAgentRouter } from '@flue/runtime/routing';
import { Hono } from 'hono';
import { ContractReviewer } from './agents/contract-reviewer.ts';
import { CustomerOrders } from './agents/customer-orders.ts';
import { InventoryAssistant } from './agents/inventory-assistant.ts';
import { OrderAssistant } from './agents/order-assistant.ts';
import { ReleaseManager } from './agents/release-manager.ts';
import { customerOfToken } from './shared/customers.ts';

const app = new Hono();

app.route('/agents/orders', createAgentRouter(OrderAssistant));
app.route('/agents/inventory', createAgentRouter(InventoryAssistant));
app.route('/agents/contracts', createAgentRouter(ContractReviewer));
app.route('/agents/releases', createAgentRouter(ReleaseManager));

// Not a router: the customer is established here, and only then attached to the message.
app.post('/support/messages', async (c) => {
  const customerId = customerOfToken(c.req.header('authorization'));
  if (!customerId) return c.json({ error: 'Unknown customer.' }, 401);
  const receipt = await dispatch(CustomerOrders, {
    id: customerId,
    message: {
      kind: 'signal',
      type: 'support.message',
      body: await c.req.text(),
      attributes: { customerId },
    },
  });
  return c.json(receipt, 202);
});

export default app;
