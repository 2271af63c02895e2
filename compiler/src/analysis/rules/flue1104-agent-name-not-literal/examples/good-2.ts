import { useModel } from '@flue/runtime';
const id = 'x';
export function Agent() {
  useModel('openai/gpt-5');
}
Agent.agentName = id;
