'use agent';
import { useModel } from '@flue/runtime';
export function base() {
  useModel('openai/gpt-5');
}
export function Agent() {
  base();
}
