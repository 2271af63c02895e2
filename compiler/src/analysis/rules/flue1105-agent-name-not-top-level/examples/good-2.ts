'use agent';
import { useModel } from '@flue/runtime';
export function Agent() {
  useModel('openai/gpt-5');
}
Agent.agentName = 'a';
console.log(Agent.agentName);
