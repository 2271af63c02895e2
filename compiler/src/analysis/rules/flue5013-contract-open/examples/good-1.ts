'use agent';
import { useDataWriter, useModel, useTool } from '@flue/runtime';
import { createAgentRouter } from '@flue/runtime/routing';
import { t1 } from './tools.ts';
export function Agent(props) {
  useModel('openai/gpt-5');
  useTool(t1);
}
export const router = createAgentRouter(Agent);
