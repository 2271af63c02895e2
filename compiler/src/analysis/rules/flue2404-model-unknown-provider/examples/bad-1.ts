'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('antropic/claude-haiku-4-5'); // expect: FLUE2404 warning
}
