'use agent';
import { useAgentStart, useModel, usePersistentState } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const [l, setL] = usePersistentState('l', []);
  useAgentStart(() => {
    setL([...l, 'x']); // expect: FLUE2408 hint
  });
}
