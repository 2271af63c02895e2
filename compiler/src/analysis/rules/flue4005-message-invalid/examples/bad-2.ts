'use agent';
import { useAgentStart, useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useAgentStart(({ append }) => {
    append({ kind: 'user', body: 'x' }); // expect: FLUE4005 error
  });
}
