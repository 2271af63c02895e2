'use agent';
import { useAgentStart, useDispatchMessage, useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const send = useDispatchMessage();
  useAgentStart(async () => {
    await send({ kind: 'signal', type: 'a', body: 'x', attributes: { n: '1' }, tagName: 'slack.msg' });
  });
}
