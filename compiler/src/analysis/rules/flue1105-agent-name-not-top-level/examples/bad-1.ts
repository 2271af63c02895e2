'use agent';
import { useModel } from '@flue/runtime';
export function Agent() {
  useModel('openai/gpt-5');
}
if (process.env.STAGE) Agent.agentName = 'staged'; // expect: FLUE1105 error
