'use agent';
import { useModel } from '@flue/runtime';
export function Agent() {
  useModel('openai/gpt-5');
}
Agent.agentname = 'a'; // expect: FLUE1111 warning
