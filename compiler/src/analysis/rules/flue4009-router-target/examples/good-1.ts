'use agent';
import { useModel } from '@flue/runtime';
import { createAgentRouter } from '@flue/runtime/routing';
export function Agent() {
  useModel('openai/gpt-5');
}
export const r = createAgentRouter(Agent);
