'use agent';
import { useModel } from '@flue/runtime';
export function* Agent() { // expect: FLUE1006 error
  useModel('openai/gpt-5');
}
