'use agent';
import { useModel } from '@flue/runtime';
export function A() {
  useModel('openai/gpt-5');
}
A.agentName = 'a';
export function B() {
  useModel('openai/gpt-5');
}
B.agentName = 'b';
