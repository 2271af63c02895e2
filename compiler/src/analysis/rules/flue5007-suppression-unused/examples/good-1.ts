'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5'); // flue-ignore FLUE2305 -- checked by hand
  return null;
}
