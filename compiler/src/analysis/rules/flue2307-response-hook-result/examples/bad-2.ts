'use agent';
import { useModel, useResponseFinish } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  useResponseFinish(() => ['a']); // expect: FLUE2307 error
}
