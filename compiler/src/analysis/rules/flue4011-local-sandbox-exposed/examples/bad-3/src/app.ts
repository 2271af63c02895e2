import { auth } from 'auth-kit';
import { createAgentRouter } from '@flue/runtime/routing';
import { Hono } from 'hono';
import { Agent } from './a.ts';
export const app = new Hono();
app.use('/other/*', auth);
app.route('/a', createAgentRouter(Agent));
app.use('/a/*', auth);
