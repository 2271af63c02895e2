'use agent';
import { useModel, useTool } from '@flue/runtime';
import { t1, t2 } from './tools.ts';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  if (props.id === 'a') {
    useTool(t1);
    useTool(t2);
  } else {
    useTool(t2);
    useTool(t1);
  }
}
