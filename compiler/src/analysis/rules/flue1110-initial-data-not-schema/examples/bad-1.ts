'use agent';
import { useModel } from '@flue/runtime';
export function Agent() {
  useModel('openai/gpt-5');
}
Agent.initialData = { issue: 'number' }; // expect: FLUE1110 error
