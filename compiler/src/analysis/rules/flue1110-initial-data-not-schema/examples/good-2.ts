'use agent';
import { useModel } from '@flue/runtime';
import { flag } from 'flags';
export function Agent() {
  useModel('openai/gpt-5');
}
Agent.initialData = flag();
