import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { currentRuntime, setCurrentRuntime } from '../../app/current.ts';
import { streamCors } from './headers.ts';
import { createAgentRouter } from './router.ts';
import { MOUNT, Orders, type Served, serve } from './served-agent.fixture.ts';

let served: Served;
beforeAll(async () => {
  served = await serve(() => ({ text: 'Yes.' }));
  await (await served.post('/known', { kind: 'user', body: 'Hi' })).json();
});
afterAll(() => served.stop());

const errorType = async (response: Response) =>
  ((await response.json()) as { error: { type: string } }).error.type;

describe('createAgentRouter', () => {
  it('refuses what is no agent and what has no identity, at once (HTTP-02)', () => {
    expect(() => createAgentRouter({} as never)).toThrow(/takes the agent function itself. \(FLUE4009\)/);
    expect(() =>
      createAgentRouter(
        (
          () => () =>
            ''
        )(),
      ),
    ).toThrow(/FLUE1007/);
    const Bad = () => '';
    Bad.agentName = 'not_valid';
    expect(() => createAgentRouter(Bad)).toThrow(/FLUE1101/);
  });

  it('serves the same conversation from every mount (HTTP-01)', async () => {
    const app = new Hono();
    app.route('/a', createAgentRouter(Orders));
    app.route('/deep/:id/b', createAgentRouter(Orders));
    const [one, other] = await Promise.all(['/a/known', '/deep/x/b/known'].map((path) => app.request(path)));
    expect(one?.status).toBe(200);
    expect(await one?.json()).toEqual(await other?.json());
  });

  it('hands the bindings and the context of its host on untouched (HTTP-04)', async () => {
    const seen: unknown[] = [];
    const app = new Hono<{ Bindings: { secret: string } }>();
    app.use(async (c, next) => {
      seen.push(c.env, c.executionCtx);
      await next();
      seen.push(c.env);
    });
    app.route('/', createAgentRouter(Orders));
    const env = { secret: 's' };
    const ctx = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} };
    expect((await app.fetch(new Request('http://flue.test/known'), env, ctx)).status).toBe(200);
    expect(seen[0]).toBe(env);
    expect(seen[1]).toBe(ctx);
    expect(seen[2]).toBe(env);
  });

  it('finds its runtime per request; without one it answers 500 (HTTP-03)', async () => {
    const runtime = currentRuntime();
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    setCurrentRuntime(undefined);
    const response = await served.fetch('/known');
    setCurrentRuntime(runtime);
    expect(response.status).toBe(500);
    expect(await errorType(response)).toBe('internal_error');
    expect(print.mock.calls.join()).toContain(`[${response.headers.get('flue-error-ref')}]`);
    print.mockRestore();
    expect((await served.fetch('/known')).status).toBe(200);
  });

  it('answers 500 for an agent that is not registered, and the log names it (HTTP-03)', async () => {
    const Stranger = () => 'Who?';
    served.log.length = 0;
    const response = await createAgentRouter(Stranger).request('/1');
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).not.toContain('Stranger');
    expect(served.log.join('')).toMatch(/agent "Stranger" is mounted but not registered/);
  });
});

describe('paths and methods', () => {
  it.each([
    ['PUT', '/known', 'GET, HEAD, POST'],
    ['OPTIONS', '/known', 'GET, HEAD, POST'],
    ['GET', '/known/abort', 'POST'],
    ['POST', '/known/attachments/a', 'GET, HEAD'],
    ['POST', '/known/submissions/s', 'GET'],
    ['DELETE', '/known/submissions/s', 'GET'],
  ])('%s %s is 405 and allows %s (HTTP-05)', async (method, path, allow) => {
    const response = await served.fetch(path, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, allow]);
    expect(await errorType(response)).toBe('method_not_allowed');
  });

  it('HEAD of a submission is 405 without a body (HTTP-05, ENV-07)', async () => {
    const response = await served.fetch('/known/submissions/s', { method: 'HEAD' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET']);
    expect(await response.text()).toBe('');
  });

  it('leaves to its host what it does not define (HTTP-06, ENV-09)', async () => {
    const host = new Hono();
    host.route(MOUNT, createAgentRouter(Orders));
    host.get(`${MOUNT}/x/health/deep/down`, (c) => c.text('up'));
    host.notFound((c) => c.text('host says no', 404));
    expect(await (await host.request(`${MOUNT}/x/health/deep/down`)).text()).toBe('up');
    expect(await (await host.request(`${MOUNT}/x/unknown`)).text()).toBe('host says no');
    const alone = await createAgentRouter(Orders).request('/x/unknown');
    expect([alone.status, await errorType(alone)]).toEqual([404, 'route_not_found']);
  });

  it.each([
    ['a%2Fb', 'a/b'],
    ['50%25', '50%'],
    ['%2541', '%41'],
    ['caf%C3%A9%20%23%3F', 'café #?'],
  ])('decodes the id %s once, to %s (HTTP-07)', async (segment, id) => {
    const { submissionId } = (await (
      await served.post(`/${segment}`, { kind: 'user', body: 'x' })
    ).json()) as {
      submissionId: string;
    };
    expect((await served.runtime.store.submission(submissionId))?.path).toBe(`agents/Orders/${id}`);
    await served.settled(id, submissionId);
  });

  it.each(['%20', '%09%20', 'a%ff', '%E0%A4', '100%'])('refuses the id %s (HTTP-07)', async (segment) => {
    for (const response of [
      await served.fetch(`/${segment}`),
      await served.post(`/${segment}`, { kind: 'user', body: '' }),
    ]) {
      expect([response.status, await errorType(response)]).toEqual([400, 'invalid_request']);
    }
  });

  it('checks an id as dispatch() does (HTTP-07, MSG-11)', async () => {
    const long = `/${'x'.repeat(1025)}`;
    for (const response of [
      await served.post(long, { kind: 'user', body: 'x' }),
      await served.fetch(long),
      await served.post(`${long}/abort`, ''),
    ]) {
      expect([response.status, await errorType(response)]).toEqual([400, 'invalid_request']);
    }
  });

  it('lets a page of any origin read its headers only as far as the host says so (HTTP-08, HTTP-09)', async () => {
    for (const response of [
      await served.fetch('/known'),
      await served.fetch('/none'),
      await served.fetch('/known', { method: 'PUT' }),
    ]) {
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
      expect(
        [...response.headers.keys()].filter((name) => /^access-control|authenticate/.test(name)),
      ).toEqual([]);
    }
    expect(streamCors.exposeHeaders).toContain('flue-error-ref');
    expect(streamCors.allowHeaders).toContain('last-event-id');
  });
});

describe('a runtime that takes no work', () => {
  it.each(['loading', 'draining', 'failed'] as const)(
    '%s: sends are refused, reads go on (HTTP-16)',
    async (state) => {
      const { runtime } = served;
      setCurrentRuntime(Object.create(runtime, { state: { value: state } }));
      try {
        const refused = await served.post('/known', { kind: 'user', body: 'x' });
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
        expect(await refused.json()).toMatchObject({
          error: { type: 'runtime_unavailable', meta: { state } },
        });
        expect((await served.fetch('/known')).status).toBe(200);
      } finally {
        setCurrentRuntime(runtime);
      }
    },
  );
});
