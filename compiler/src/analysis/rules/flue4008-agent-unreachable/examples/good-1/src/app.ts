import { Hono } from 'hono';
import { createAgentRouter } from '@flue/runtime/routing';
import { Agent } from './a.ts';
export default new Hono().route('/a', createAgentRouter(Agent));
