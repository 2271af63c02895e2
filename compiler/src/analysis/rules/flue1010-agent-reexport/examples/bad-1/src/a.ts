'use agent';
import { useModel } from '@flue/runtime';
export { Impl } from './impl.ts';
export function Agent() {
  useModel('openai/gpt-5');
}
