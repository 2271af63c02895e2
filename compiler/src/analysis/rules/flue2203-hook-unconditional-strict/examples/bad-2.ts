'use agent';
import { useInstruction, useModel } from '@flue/runtime';
import { flag } from 'flags';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  if (flag()) return 'x';
  useInstruction('y'); // expect: FLUE2203 error
}
