import { createAgentRouter } from '@flue/runtime/routing';
import { Hono } from 'hono';
import { OrderAssistant } from './agents/order-assistant.ts';

const app = new Hono();

app.get('/health', (c) => c.text('ok'));
app.route('/agents/orders', createAgentRouter(OrderAssistant));

export default app;
