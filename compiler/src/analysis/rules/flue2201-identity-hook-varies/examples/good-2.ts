'use agent';
import { useDataWriter, useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  for (const n of ['a', 'b']) useDataWriter(n);
}
