'use agent';
import { useModel } from '@flue/runtime';
export function Agent(): string | undefined {
  useModel('openai/gpt-5');
  return undefined;
}
