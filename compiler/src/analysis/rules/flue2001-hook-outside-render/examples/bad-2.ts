'use agent';
import { useAgentStart, useInstruction, useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useAgentStart(() => {
    useInstruction('x'); // expect: FLUE2001 error
  });
}
