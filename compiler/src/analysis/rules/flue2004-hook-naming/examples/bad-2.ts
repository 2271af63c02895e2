import { useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
export const mount = () => useTool(t1); // expect: FLUE2004 hint
