import { useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
export function useMount() {
  useTool(t1);
}
