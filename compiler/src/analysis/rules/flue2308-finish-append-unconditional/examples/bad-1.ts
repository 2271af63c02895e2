'use agent';
import { useAgentFinish, useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useAgentFinish(({ append }) => {
    append({ kind: 'signal', type: 'again', body: 'x' }); // expect: FLUE2308 error
  });
}
