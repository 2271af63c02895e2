'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('openai/'); // expect: FLUE2403 error
}
