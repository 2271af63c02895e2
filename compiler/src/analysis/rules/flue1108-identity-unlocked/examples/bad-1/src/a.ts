'use agent';
import { useModel } from '@flue/runtime';
export function Triage() {
  useModel('openai/gpt-5');
}
