'use agent';
import { useModel } from '@flue/runtime';
export class TriageError extends Error {}
export function Agent() {
  useModel('openai/gpt-5');
}
