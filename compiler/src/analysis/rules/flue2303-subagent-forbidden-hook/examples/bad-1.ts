'use agent';
import { useModel, useSubagent } from '@flue/runtime';
export function Root() {
  useModel('openai/gpt-5');
  useSubagent({ name: 's', description: 'd', agent: Other });
}
export function Other() {
  useModel('openai/gpt-5'); // expect: FLUE2303 error
}
