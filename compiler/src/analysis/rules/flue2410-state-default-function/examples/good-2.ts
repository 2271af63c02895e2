'use agent';
import { useModel, usePersistentState } from '@flue/runtime';
import { flag } from 'flags';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  usePersistentState('l', flag());
}
