import { useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
export function mount() { // expect: FLUE2004 hint
  useTool(t1);
}
