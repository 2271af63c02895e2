'use agent';
import { useDataWriter, useModel, useTool } from '@flue/runtime';
import { createAgentRouter } from '@flue/runtime/routing';
export function Agent(props) {
  useModel('openai/gpt-5');
  useDataWriter('card');
}
export const router = createAgentRouter(Agent);
