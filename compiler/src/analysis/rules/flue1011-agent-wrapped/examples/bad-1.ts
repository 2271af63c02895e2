'use agent';
import { useModel } from '@flue/runtime';
const wrap = (f) => f;
export const Wrapped = wrap(() => { // expect: FLUE1011 error
  useModel('openai/gpt-5');
});
export function Agent() {
  useModel('openai/gpt-5');
}
