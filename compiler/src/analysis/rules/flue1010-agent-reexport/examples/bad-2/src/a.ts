'use agent';
import { useModel } from '@flue/runtime';
import { Impl } from './impl.ts';
export { Impl };
export function Agent() {
  useModel('openai/gpt-5');
}
