import { Hono } from 'hono';
import { mountAgents } from '../.flue/routes.ts';
const app = new Hono();
mountAgents(app, { Agent: { path: '/a', public: true } });
export default app;
