'use agent';
import { useModel } from '@flue/runtime';
import * as v from 'valibot';
export const Report = v.object({ a: v.string() });
export function Agent() {
  useModel('openai/gpt-5');
}
