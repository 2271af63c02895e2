'use agent';
import { useModel } from '@flue/runtime';
export class Old { // expect: FLUE1008 warning
  static agentName = 'old';
}
export function Agent() {
  useModel('openai/gpt-5');
}
