'use agent';
import { useModel, useSandbox } from '@flue/runtime';
import { local } from '@flue/runtime/node';
export function Agent() {
  useModel('openai/gpt-5');
  useSandbox(local());
}
