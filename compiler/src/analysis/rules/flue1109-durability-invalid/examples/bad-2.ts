'use agent';
import { useModel } from '@flue/runtime';
export function Agent() {
  useModel('openai/gpt-5');
}
Agent.durability = { timeout: 5 }; // expect: FLUE1109 error
