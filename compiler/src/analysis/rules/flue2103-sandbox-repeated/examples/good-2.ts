'use agent';
import { useModel, useSandbox } from '@flue/runtime';
import { sbx } from 'sandbox-kit';
import { flag } from 'flags';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  flag() ? useSandbox(sbx) : useSandbox(sbx, { cwd: '/w' });
}
