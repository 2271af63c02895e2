'use agent';
import { useModel, usePersistentState, useTool } from '@flue/runtime';
import { t1, t2 } from './tools.ts';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const [on] = usePersistentState('on', false);
  useTool(t1);
  if (on) useTool(t2);
}
