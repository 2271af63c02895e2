'use agent';
import { useDataWriter, useModel } from '@flue/runtime';
import { flag } from 'flags';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  flag() && useDataWriter('card'); // expect: FLUE2201 warning
}
