'use agent';
import { useModel } from '@flue/runtime';
import * as v from 'valibot';
export function Agent() {
  useModel('openai/gpt-5');
}
Agent.initialData = v.object({ at: v.optional(v.date()) });
