'use agent';
import { useModel } from '@flue/runtime';
const impl = () => {
  useModel('openai/gpt-5');
};
export const Alias = impl; // expect: FLUE1011 error
export function Agent() {
  useModel('openai/gpt-5');
}
