import { useTool } from '@flue/runtime';
import { t1 } from './tools.ts';
import { flag } from 'flags';
export async function useX() {
  await flag();
  useTool(t1); // expect: FLUE2002 error
}
