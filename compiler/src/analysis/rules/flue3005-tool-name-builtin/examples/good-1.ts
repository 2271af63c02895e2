'use agent';
import { useModel, useSandbox, useTool } from '@flue/runtime';
import { sbx } from 'sandbox-kit';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useSandbox(sbx);
  useTool({ name: 'read', description: 'd', run() {} });
}
