'use agent';
import { useModel, useTool } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useTool({ name: 'bash', description: 'd', run() {} }); // expect: FLUE3005 error
}
