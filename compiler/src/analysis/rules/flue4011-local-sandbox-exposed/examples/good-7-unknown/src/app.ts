import { createAgentRouter } from '@flue/runtime/routing';
import { protect } from 'auth-kit';
import { Hono } from 'hono';
import { Agent } from './a.ts';
const app = new Hono();
app.route('/a', protect(createAgentRouter(Agent)));
export default app;
