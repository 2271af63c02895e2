'use agent';
import { useModel } from '@flue/runtime';
import { flag } from 'flags';
export function Agent(props) {
  useModel(flag() ? 'openai/gpt-5' : 'anthropic/claude-haiku-4-5');
}
