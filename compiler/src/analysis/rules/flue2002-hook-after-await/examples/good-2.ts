import { useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
import { flag } from 'flags';
export function useX() {
  useTool(t1);
  void (async () => {
    await flag();
  })();
}
