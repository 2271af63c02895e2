'use agent';
import { init, useModel, useTool } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const self = init(Agent, { id: props.id });
  useTool({
    name: 'go',
    description: 'd',
    async run() {
      return (await self.dispatch('x')).text; // expect: FLUE4007 error
    },
  });
}
