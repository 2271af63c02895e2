'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  for (const m of ['openai/gpt-5', 'openai/gpt-5-mini']) useModel(m); // expect: FLUE2102 error
}
