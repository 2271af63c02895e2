'use agent';
import { useModel } from '@flue/runtime';
function helper() {}
helper.agentName = 'h'; // expect: FLUE1111 warning
export function Agent() {
  useModel('openai/gpt-5');
}
