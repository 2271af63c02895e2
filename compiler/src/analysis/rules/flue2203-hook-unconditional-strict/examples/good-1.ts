'use agent';
import { useModel, usePersistentState, useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const [a] = usePersistentState('a', 0);
  if (a) useTool(t1);
}
