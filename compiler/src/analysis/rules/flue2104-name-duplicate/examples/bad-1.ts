'use agent';
import { useModel, useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useTool(t1);
  useTool(t1); // expect: FLUE2104 error
}
