'use agent';
import { useModel, useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  setTimeout(() => useTool(t1)); // expect: FLUE2001 error
}
