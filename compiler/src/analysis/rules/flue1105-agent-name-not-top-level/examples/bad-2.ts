'use agent';
import { useModel } from '@flue/runtime';
export function Agent() {
  useModel('openai/gpt-5');
}
Object.assign(Agent, { agentName: 'a' }); // expect: FLUE1105 error
