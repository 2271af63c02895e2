'use agent';
import { useModel } from '@flue/runtime';
import { flag } from 'flags';
export function Agent(props) {
  const big = flag();
  if (big) useModel('openai/gpt-5');
  if (!big) useModel('anthropic/claude-haiku-4-5');
}
