'use agent';
import { useAgentStart, useModel, useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const mount = () => useTool(t1);
  useAgentStart(() => mount()); // expect: FLUE2003 error
}
