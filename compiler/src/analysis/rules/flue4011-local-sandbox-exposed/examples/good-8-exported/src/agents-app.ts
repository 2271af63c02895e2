import { createAgentRouter } from '@flue/runtime/routing';
import { Hono } from 'hono';
import { Agent } from './a.ts';
const agents = new Hono();
agents.route('/a', createAgentRouter(Agent));
export default agents;
