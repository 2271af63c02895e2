'use agent';
import { useAgentStart, useDelivery, useDispatchMessage, useModel } from '@flue/runtime';
export function Agent(props) {
  useModel('anthropic/claude-haiku-4-5');
  const send = useDispatchMessage();
  const { kind } = useDelivery();
  useAgentStart(async () => {
    if (kind === 'signal') return;
    await send({ kind: 'signal', type: 'a', body: 'x', attributes: { n: '1' }, tagName: 'slack.msg' });
  });
}
