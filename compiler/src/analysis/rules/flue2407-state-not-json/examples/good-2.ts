'use agent';
import { useAgentStart, useModel, usePersistentState } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const [n, setN] = usePersistentState('n', null);
  useAgentStart(() => { setN(JSON.parse('1')); });
}
