'use agent';
import { useModel } from '@flue/runtime';
export function Agent() {
  useModel('openai/gpt-5');
}
Agent.agentName = 'a';
Agent.agentName = 'b'; // expect: FLUE1106 error
