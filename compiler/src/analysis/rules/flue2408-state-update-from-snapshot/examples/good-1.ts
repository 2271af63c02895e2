'use agent';
import { useModel, usePersistentState, useTool } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const [n, setN] = usePersistentState('n', 0);
  useTool({
    name: 'inc',
    description: 'd',
    run() {
      setN((p) => p + 1);
    },
  });
}
