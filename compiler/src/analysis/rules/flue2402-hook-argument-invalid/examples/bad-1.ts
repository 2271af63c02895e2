'use agent';
import { useInstruction, useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useInstruction('  '); // expect: FLUE2402 error
}
