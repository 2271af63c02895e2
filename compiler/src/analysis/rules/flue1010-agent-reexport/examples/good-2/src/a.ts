'use agent';
import { useModel } from '@flue/runtime';
export { Fmt } from './fmt.ts';
export function Agent() {
  useModel('openai/gpt-5');
}
