'use agent';
import { useModel } from '@flue/runtime';
export function Agent() {
  useModel('openai/gpt-5');
}
export { Agent as Other }; // expect: FLUE1009 error
