import { useModel } from '@flue/runtime';
import { createAgentRouter } from '@flue/runtime/routing';
function Agent() {
  useModel('openai/gpt-5');
}
export const r = createAgentRouter(Agent); // expect: FLUE4009 error
