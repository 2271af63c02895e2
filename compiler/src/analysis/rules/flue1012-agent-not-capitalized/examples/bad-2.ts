'use agent';
import { useModel } from '@flue/runtime';
export const triage = () => { // expect: FLUE1012 warning
  useModel('openai/gpt-5');
};
export function Agent() {
  useModel('openai/gpt-5');
}
