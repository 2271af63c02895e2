'use agent';
import { useModel, usePersistentState } from '@flue/runtime';
import { flag } from 'flags';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  if (flag()) usePersistentState('a', 0); // expect: FLUE2203 error
}
