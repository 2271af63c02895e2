'use agent';
import { useModel } from '@flue/runtime';
export class Old {} // expect: FLUE1008 warning
Old.durability = { maxAttempts: 2 };
export function Agent() {
  useModel('openai/gpt-5');
}
