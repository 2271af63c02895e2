'use agent';
import { init, useModel, useTool } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useTool({
    name: 'go',
    description: 'd',
    async run() {
      await init(Agent, { id: '2' }).dispatch({ message: 'x' });
    },
  });
}
