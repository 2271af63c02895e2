'use agent';
import { useAgentStart, useModel, usePersistentState } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const [n, setN] = usePersistentState('n', 0n);
  useAgentStart(() => { setN(1n); }); // expect: FLUE2407 error
}
