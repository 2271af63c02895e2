'use agent';
import { useModel, useTool } from '@flue/runtime';
import { t1, t2 } from './tools.ts';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  for (const t of [t1, t2]) useTool(t);
}
