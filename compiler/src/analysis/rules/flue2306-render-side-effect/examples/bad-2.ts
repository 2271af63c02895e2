'use agent';
import { dispatch, useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  void dispatch(Agent, { id: '2', message: 'x' }); // expect: FLUE2306 hint
}
