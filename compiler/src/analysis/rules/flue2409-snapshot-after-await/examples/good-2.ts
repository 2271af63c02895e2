'use agent';
import { useModel, useTool } from '@flue/runtime';
import { flag } from 'flags';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useTool({
    name: 'get',
    description: 'd',
    async run() {
      await flag();
      return props.id;
    },
  });
}
