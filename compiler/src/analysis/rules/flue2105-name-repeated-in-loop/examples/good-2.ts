'use agent';
import { useModel, usePersistentState } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  for (const k of ['a', 'b']) usePersistentState(`n-${k}`, 0);
}
