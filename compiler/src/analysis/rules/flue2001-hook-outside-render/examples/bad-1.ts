import { useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
useTool(t1); // expect: FLUE2001 error
