'use agent';
import { useModel } from '@flue/runtime';
export function IssueTriage() {
  useModel('openai/gpt-5');
}
