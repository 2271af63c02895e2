import { useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
export function useX() {
  useTool(t1);
}
export const kit = [useX];
