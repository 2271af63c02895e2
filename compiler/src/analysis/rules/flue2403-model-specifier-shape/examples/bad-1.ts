'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('gpt-5'); // expect: FLUE2403 error
}
