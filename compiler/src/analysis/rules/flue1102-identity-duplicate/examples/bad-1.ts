'use agent';
import { useModel } from '@flue/runtime';
export function One() { // expect: FLUE1102 error
  useModel('openai/gpt-5');
}
One.agentName = 'x';
export function Two() { // expect: FLUE1102 error
  useModel('openai/gpt-5');
}
Two.agentName = 'x';
