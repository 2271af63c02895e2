'use agent';
import { useModel, useSubagent } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useSubagent({ name: 'flue-general', description: 'd', agent() {} }); // expect: FLUE3302 error
}
