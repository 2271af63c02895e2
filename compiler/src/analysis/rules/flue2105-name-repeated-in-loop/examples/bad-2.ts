'use agent';
import { useModel, useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
import { flag } from 'flags';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  for (const x of flag()) useTool(t1); // expect: FLUE2105 warning
}
