'use agent';
import { useModel, usePersistentState } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const [n, setN] = usePersistentState('n', 0);
  setN(n + 1); // expect: FLUE2301 error
}
