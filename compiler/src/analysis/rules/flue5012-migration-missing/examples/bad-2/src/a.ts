'use agent';
import { useModel } from '@flue/runtime';
export function Support() {
  useModel('openai/gpt-5');
}
