'use agent';
import { useInstruction, useModel, usePersistentState } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const [m] = usePersistentState('m', 'a');
  const parts = [() => useInstruction('one'), () => useInstruction('two')];
  if (m === 'b') {
    useInstruction('x'); // expect: FLUE2202 warning
    useInstruction('y');
  } else {
    useInstruction('y');
    useInstruction('x');
  }
}
