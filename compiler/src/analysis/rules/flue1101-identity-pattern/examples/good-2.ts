'use agent';
import { useModel } from '@flue/runtime';
export function Agent2() {
  useModel('openai/gpt-5');
}
