import { useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
function mount() {
  useTool(t1);
}
export function useAll() {
  mount();
}
