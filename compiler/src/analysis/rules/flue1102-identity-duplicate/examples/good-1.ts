'use agent';
import { useModel } from '@flue/runtime';
export function One() {
  useModel('openai/gpt-5');
}
export function Two() {
  useModel('openai/gpt-5');
}
