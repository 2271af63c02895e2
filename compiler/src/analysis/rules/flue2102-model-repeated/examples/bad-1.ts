'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useModel('openai/gpt-5'); // expect: FLUE2102 error
}
