'use agent';
import { useModel } from '@flue/runtime';
import * as v from 'valibot';
export function Agent() {
  useModel('openai/gpt-5');
}
Agent.initialData = v.objectAsync({ a: v.string() }); // expect: FLUE1110 error
