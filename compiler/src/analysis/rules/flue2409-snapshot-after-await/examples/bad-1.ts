'use agent';
import { useModel, usePersistentState, useTool } from '@flue/runtime';
import { flag } from 'flags';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const [n] = usePersistentState('n', 0);
  useTool({
    name: 'get',
    description: 'd',
    async run() {
      await flag();
      return n; // expect: FLUE2409 hint
    },
  });
}
