'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  for (const m of ['openai/gpt-5']) {
    useModel(m);
    break;
  }
}
