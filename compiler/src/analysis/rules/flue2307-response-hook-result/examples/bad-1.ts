'use agent';
import { useModel, useResponseStart } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useResponseStart(async () => ({ a: 1 })); // expect: FLUE2307 error
}
