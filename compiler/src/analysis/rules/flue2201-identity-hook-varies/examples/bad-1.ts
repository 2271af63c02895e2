'use agent';
import { useDataWriter, useModel, usePersistentState, useTool } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const [on, set] = usePersistentState('on', false);
  useTool({
    name: 'go',
    description: 'd',
    run() {
      set(true);
    },
  });
  if (on) useDataWriter('card'); // expect: FLUE2201 error
}
