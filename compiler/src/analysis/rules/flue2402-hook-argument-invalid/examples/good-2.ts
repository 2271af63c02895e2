'use agent';
import { useModel, usePersistentState } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  usePersistentState(props.id, 0);
}
