'use agent';
import { init, useModel, useTool } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useTool({
    name: 'go',
    description: 'd',
    run() {
      init(Agent);
    },
  });
}
