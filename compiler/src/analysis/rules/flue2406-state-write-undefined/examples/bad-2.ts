'use agent';
import { useAgentStart, useModel, usePersistentState } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const [n, setN] = usePersistentState('n', 0);
  useAgentStart(() => {
    setN((p) => { // expect: FLUE2406 error
      p + 1;
    });
  });
}
