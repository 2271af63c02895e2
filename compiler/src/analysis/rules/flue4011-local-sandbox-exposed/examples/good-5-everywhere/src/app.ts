import { auth } from 'auth-kit';
import { createAgentRouter } from '@flue/runtime/routing';
import { Hono } from 'hono';
import { Agent } from './a.ts';
const app = new Hono();
app.use(auth);
app.route('/a', createAgentRouter(Agent));
export default app;
