'use agent';
import { useModel, useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
import { flag } from 'flags';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const a = flag();
  if (a) useTool(t1);
  if (!a) useTool(t1);
}
