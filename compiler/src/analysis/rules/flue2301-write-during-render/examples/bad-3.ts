'use agent';
import { useDispatchMessage, useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const send = useDispatchMessage();
  void send('x'); // expect: FLUE2301 error
}
