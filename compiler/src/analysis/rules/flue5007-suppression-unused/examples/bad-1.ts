'use agent';
import { useModel, useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
export function Agent(props) {
// expect below: FLUE5007 warning
  useModel('anthropic/claude-haiku-4-5'); // flue-ignore FLUE2301 -- legacy
  useTool(t1);
}
