'use agent';
import { useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('openai/gpt-5', { thinking: 'low' }); // expect: FLUE2401 error
}
