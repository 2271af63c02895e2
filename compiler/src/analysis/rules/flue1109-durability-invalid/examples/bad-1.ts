'use agent';
import { useModel } from '@flue/runtime';
export function Agent() {
  useModel('openai/gpt-5');
}
Agent.durability = { maxAttempts: 0 }; // expect: FLUE1109 error
