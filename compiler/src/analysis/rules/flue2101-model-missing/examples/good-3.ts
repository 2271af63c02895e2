'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  if (!props.id) throw new Error('no id');
  useModel('openai/gpt-5');
}
