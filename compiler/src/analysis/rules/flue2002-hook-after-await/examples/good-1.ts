import { useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
import { flag } from 'flags';
export async function useX() {
  useTool(t1);
  await flag();
}
