'use agent';
import { useAgentFinish, useModel } from '@flue/runtime';
import { flag } from 'flags';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useAgentFinish(async (ctx) => {
    await flag();
    ctx.append({ kind: 'signal', type: 'again', body: 'x' }); // expect: FLUE2308 error
  });
}
