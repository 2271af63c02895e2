'use agent';
import { useDelivery, useModel, useTool } from '@flue/runtime';
import { t1, t2 } from './tools.ts';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  if (useDelivery().kind === 'user') {
    useTool(t1); // expect: FLUE2202 warning
    useTool(t2);
  } else {
    useTool(t2);
    useTool(t1);
  }
}
