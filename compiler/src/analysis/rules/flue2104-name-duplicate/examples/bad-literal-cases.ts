'use agent';
import { useModel, useTool } from '@flue/runtime';
import { pick } from './flags.ts';
import { t1 } from './tools.ts';

// The cases may be all there are, and may not be: what they do proves nothing about every path.
export function Agent() {
  useModel('openai/gpt-5');
  switch (pick()) {
    case 'a':
      useTool(t1);
      break;
    case 'b':
      useTool(t1);
      break;
  }
  useTool(t1); // expect: FLUE2104 warning
}
