'use agent';
import { dispatch, useModel, useTool } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useTool({
    name: 'go',
    description: 'd',
    async run() {
      await dispatch(Agent, { ...flag() });
    },
  });
}
