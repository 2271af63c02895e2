'use agent';
import { useModel } from '@flue/runtime';
import { flag } from 'flags';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const x = flag();
  void x;
  void import('./missing-a.ts'); // expect: FLUE5005 info
}
