'use agent';
import { useAgentFinish, useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useAgentFinish(({ append, response }) => {
    if (!response.toolCalls.length) append({ kind: 'signal', type: 'again', body: 'x' });
  });
}
