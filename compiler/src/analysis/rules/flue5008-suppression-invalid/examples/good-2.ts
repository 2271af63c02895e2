'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5'); // flue-ignore FLUE2305, FLUE2306 -- both reviewed
  return (void fetch('https://example.com'), null);
}
