'use agent';
import { useModel } from '@flue/runtime';
export function useBase() {
  useModel('openai/gpt-5');
}
export function Agent() {
  useBase();
}
