'use agent';
import { init, useModel, useTool } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useTool({
    name: 'go',
    description: 'd',
    async run() {
      await init(Agent).dispatch({ id: '2', message: 'x' }); // expect: FLUE4006 error
    },
  });
}
