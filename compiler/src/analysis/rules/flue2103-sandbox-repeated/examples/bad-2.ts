'use agent';
import { useModel, useSandbox } from '@flue/runtime';
import { sbx } from 'sandbox-kit';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const useBox = () => useSandbox(sbx);
  useBox();
  useBox(); // expect: FLUE2103 error
}
