'use agent';
import { useModel } from '@flue/runtime';
export function Support_Agent() { // expect: FLUE1101 error
  useModel('openai/gpt-5');
}
