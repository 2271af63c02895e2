'use agent';
import { useModel, useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5'); // an ordinary comment about flue-ignore
  useTool(t1);
}
