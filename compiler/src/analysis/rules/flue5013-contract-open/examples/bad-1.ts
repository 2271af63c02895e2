'use agent';
import { useDataWriter, useModel, useTool } from '@flue/runtime';
import { createAgentRouter } from '@flue/runtime/routing';
import { flag } from 'flags';
export function Agent(props) {
  useModel('openai/gpt-5');
  useTool({
    name: flag(), // expect: FLUE5013 info
    description: 'd',
    run() {},
  });
}
export const router = createAgentRouter(Agent);
