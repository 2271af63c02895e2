import { useModel } from '@flue/runtime';
export function Impl() {
  useModel('openai/gpt-5');
}
