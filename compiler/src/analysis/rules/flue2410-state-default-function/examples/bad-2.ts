'use agent';
import { useModel, usePersistentState } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  usePersistentState('l', function () { // expect: FLUE2410 hint
    return 0;
  });
}
