'use agent';
import { useModel, usePersistentState } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  for (const x of [1, 2]) usePersistentState('n', x); // expect: FLUE2105 error
}
