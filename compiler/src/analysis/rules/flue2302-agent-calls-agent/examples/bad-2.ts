'use agent';
import { useModel } from '@flue/runtime';
import { flag } from 'flags';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  return flag() ? Agent(props) : 'x'; // expect: FLUE2302 error
}
