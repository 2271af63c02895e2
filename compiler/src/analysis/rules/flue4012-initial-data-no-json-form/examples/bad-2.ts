'use agent';
import { useModel } from '@flue/runtime';
import * as v from 'valibot';
export function Agent() {
  useModel('openai/gpt-5');
}
Agent.initialData = v.map(v.string(), v.string()); // expect: FLUE4012 warning
