'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
// expect below: FLUE5008 warning
  useModel('anthropic/claude-haiku-4-5'); // flue-ignore FLUE2305
  return null;
}
