'use agent';
import { defineTool, useModel, useTool } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useTool(defineTool({ name: 'task', description: 'd', run() {} })); // expect: FLUE3004 error
}
