import { useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
function useX() {
  useTool(t1);
}
useX(); // expect: FLUE2003 error
