'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('openai/gpt5'); // expect: FLUE2405 warning
}
