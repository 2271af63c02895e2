'use agent';
import { useDataWriter, useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const write = useDataWriter('card');
  [1].forEach((x) => write(x)); // expect: FLUE2301 error
}
