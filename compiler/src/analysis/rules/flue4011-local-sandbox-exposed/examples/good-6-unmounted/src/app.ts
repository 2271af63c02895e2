import { dispatch } from '@flue/runtime';
import { Hono } from 'hono';
import { Agent } from './a.ts';
const app = new Hono();
app.post('/a', async (c) => c.json(await dispatch(Agent, { id: '1', message: 'x' })));
export default app;
