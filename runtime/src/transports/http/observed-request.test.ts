import { afterEach, expect, it } from 'vitest';
import { observe } from '../../engine/events/observe.ts';
import { type Served, serve } from './served-agent.fixture.ts';

let served: Served;
let end = () => {};
afterEach(async () => {
  end();
  await served?.stop();
});

it('the request that brought a message is at hand while it is worked on, and not kept (OBV-06)', async () => {
  const seen = new Map<string, (string | null | undefined)[]>();
  let lateRequest: () => Request | undefined = () => undefined;
  end = observe(({ type }, ctx) => {
    const agent = ctx.req?.headers.get('user-agent');
    seen.set(type, [...(seen.get(type) ?? []), agent]);
    lateRequest = () => ctx.req;
  });
  served = await serve([{ text: 'Sent.' }, { text: 'Again.' }]);
  const message = { kind: 'user', body: 'Hello' };
  const response = await served.post('/a', message, { 'user-agent': 'desk/1' });
  const { submissionId } = (await response.json()) as { submissionId: string };
  await served.settled('a', submissionId);
  for (const type of ['submission_queued', 'submission_running', 'turn', 'submission_settled'])
    expect(seen.get(type)).toEqual(['desk/1']);
  expect(lateRequest()).toBeUndefined();
});

it('a message that came otherwise has no request (OBV-06)', async () => {
  const requests: unknown[] = [];
  end = observe((_event, { req }) => void requests.push(req));
  served = await serve([{ text: 'Sent.' }]);
  const admitted = await served.runtime.admit('Orders', { kind: 'dispatch', id: 'a', message: 'Hello' });
  await served.settled('a', admitted.submissionId);
  expect(new Set(requests)).toEqual(new Set([undefined]));
});
