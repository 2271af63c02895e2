'use agent';
import { useDataWriter, useModel, usePersistentState } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  usePersistentState('n', 0);
  useDataWriter('n');
}
