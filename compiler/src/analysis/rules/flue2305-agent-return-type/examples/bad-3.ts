'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  return props.id !== '1' && 'x'; // expect: FLUE2305 warning
}
