'use agent';
import { useModel, usePersistentState } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const useA = () => usePersistentState('n', 0);
  useA();
  usePersistentState('n', 1); // expect: FLUE2104 error
}
