'use agent';
import { useModel } from '@flue/runtime';
import { flag } from 'flags';
export function Agent(props) { // expect: FLUE2101 warning
  if (flag()) return 'later';
  useModel('openai/gpt-5');
}
