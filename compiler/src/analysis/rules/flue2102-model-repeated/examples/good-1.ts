'use agent';
import { useModel } from '@flue/runtime';
import { flag } from 'flags';
export function Agent(props) {
  if (flag()) useModel('openai/gpt-5');
  else useModel('openai/gpt-5-mini');
}
