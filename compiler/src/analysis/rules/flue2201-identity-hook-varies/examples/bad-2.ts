'use agent';
import { useDataWriter, useDelivery, useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  if (useDelivery().kind === 'user') return 'hi';
  useDataWriter('card'); // expect: FLUE2201 error
}
