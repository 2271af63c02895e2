'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-hiaku-4-5'); // expect: FLUE2405 warning
}
