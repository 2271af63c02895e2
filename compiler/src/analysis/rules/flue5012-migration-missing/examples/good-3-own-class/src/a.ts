'use agent';
import { useModel } from '@flue/runtime';
export function Chat() {
  useModel('openai/gpt-5');
}
