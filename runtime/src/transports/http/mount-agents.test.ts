import { Hono } from 'hono';
import { hc } from 'hono/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMountAgents } from './mount-agents.ts';
import { createAgentRouter } from './router.ts';
import { Orders, type Served, serve } from './served-agent.fixture.ts';

let served: Served;
beforeAll(async () => {
  served = await serve(() => ({ text: 'Yes.' }));
  await served.post('/a%2Fb', { kind: 'user', body: 'Hi' });
});
afterAll(() => served.stop());

const mountAgents = createMountAgents({ Orders });
const asked: string[] = [];
const app = mountAgents(new Hono(), {
  Orders: {
    path: '/orders',
    authorize: ({ identity, id, action, c }) => {
      asked.push(`${identity} ${id} ${action}`);
      if (id === 'teapot') return new Response('short and stout', { status: 418 });
      if (id === 'broken') throw Object.assign(new Error('database password'), { status: 403 });
      return c.req.header('x-key') === 'yes';
    },
  },
});
const ask = async (method: string, path: string, key = 'no') => {
  asked.length = 0;
  const body = method === 'POST' ? { body: JSON.stringify({ kind: 'user', body: 'Hi' }) } : {};
  const headers = { 'x-key': key, ...(method === 'POST' && { 'content-type': 'application/json' }) };
  return app.request(path, { method, headers, ...body });
};

describe('mountAgents', () => {
  it('asks before every route, with the decoded id and the action; false is 403 (TRTE-04)', async () => {
    const routes = [
      ['POST', '/orders/a%2Fb', 'send'],
      ['GET', '/orders/a%2Fb', 'read'],
      ['HEAD', '/orders/a%2Fb', 'read'],
      ['GET', '/orders/a%2Fb?view=updates&live=sse&offset=-1', 'read'],
      ['POST', '/orders/a%2Fb/abort', 'abort'],
      ['POST', '/orders/a%2Fb/compact', 'compact'],
      ['GET', '/orders/a%2Fb/attachments/1', 'attachment'],
      ['GET', '/orders/a%2Fb/submissions/1', 'read'],
    ] as const;
    for (const [method, path, action] of routes) {
      const response = await ask(method, path);
      expect([path, response.status, asked]).toEqual([path, 403, [`Orders a/b ${action}`]]);
    }
    const refused = await ask('GET', '/orders/a%2Fb');
    expect(await refused.json()).toMatchObject({ error: { type: 'forbidden' } });
    expect(refused.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('guards every route that the router has (TRTE-04)', async () => {
    for (const { path } of createAgentRouter(Orders).routes) {
      const place = `/orders${path.replace(/:\w+/g, 'x')}`;
      const statuses = await Promise.all(
        ['GET', 'POST'].map(async (method) => (await ask(method, place)).status),
      );
      expect(statuses).toContain(403);
      for (const status of statuses) expect([403, 405]).toContain(status);
    }
  });

  it('lets through what is allowed, sends a Response as it is, and takes a throw for a 500 (TRTE-04)', async () => {
    expect((await ask('GET', '/orders/a%2Fb', 'yes')).status).toBe(200);
    expect((await ask('HEAD', '/orders/a%2Fb', 'yes')).status).toBe(200);
    expect(asked).toHaveLength(1);
    const teapot = await ask('GET', '/orders/teapot');
    expect([teapot.status, await teapot.text()]).toEqual([418, 'short and stout']);
    const broken = await ask('GET', '/orders/broken');
    expect(broken.status).toBe(500);
    expect(await broken.text()).not.toContain('password');
    expect(served.log.join('')).toContain('database password');
  });

  it('leaves to the router what names no instance, and other paths to the host (TRTE-04, HTTP-06)', async () => {
    expect((await ask('GET', '/orders/%E0%A4%A')).status).toBe(400);
    expect((await ask('GET', '/orders/%20')).status).toBe(400);
    expect((await ask('GET', '/orders/x/other')).status).toBe(404);
    expect((await ask('DELETE', '/orders/x')).status).toBe(405);
    expect(asked).toEqual([]);
  });

  it('does not let a function through that decides nothing (TRTE-04)', async () => {
    const forgetful = mountAgents(new Hono(), { Orders: { path: '/o', authorize: (() => {}) as never } });
    expect((await forgetful.request('/o/a%2Fb')).status).toBe(403);
  });

  it('serves a bare path and a public one without asking (TRTE-02)', async () => {
    const open = mountAgents(new Hono(), { Orders: { path: '/o/', public: true } });
    expect((await open.request('/o/a%2Fb')).status).toBe(200);
    expect((await mountAgents(new Hono(), { Orders: '/' }).request('/a%2Fb')).status).toBe(200);
  });

  it('refuses unknown names and paths that are no plain ones, and mounts nothing then (TRTE-03)', () => {
    const refused = (mounts: object) => {
      const host = new Hono();
      expect(() => mountAgents(host, mounts as never)).toThrow(/mountAgents\(\)/);
      expect(host.routes).toEqual([]);
    };
    refused({ Orders: '/orders', Other: '/x' });
    for (const path of ['orders', '/o*', '/o?x', '/o#x', '', 7, null]) refused({ Orders: path });
    refused({ Orders: { path: '/o' } });
    refused({ Orders: { path: '/o', public: false } });
    const two = createMountAgents({ A: Orders, B: Orders });
    expect(() => two(new Hono(), { A: '/o', B: '/o/' })).toThrow(/two agents/);
  });

  it('adds the routes to the type of the app and keeps those of the host (TRTE-02)', async () => {
    const host = mountAgents(
      new Hono().get('/health', (c) => c.json({ up: true })),
      { Orders: '/orders' },
    ).get('/after', (c) => c.json({ later: 1 }));
    const client = hc<typeof host>('http://flue.test', {
      fetch: async (input: string | URL | Request, init?: RequestInit) => host.request(String(input), init),
    });
    expect((await (await client.health.$get()).json()).up).toBe(true);
    expect((await (await client.after.$get()).json()).later).toBe(1);
    const sent = await client.orders[':id'].$post({
      param: { id: 'typed' },
      json: { kind: 'user', body: 'Hi' },
    });
    const { submissionId }: { submissionId: string } = await sent.json();
    expect(submissionId).toMatch(/^sub_/);
    const { aborted }: { aborted: boolean } = await (
      await client.orders[':id'].abort.$post({ param: { id: 'typed' } })
    ).json();
    expect(typeof aborted).toBe('boolean');
  });
});

/** Never run: `tsc` proves that each line that follows a directive is an error (TRTE-03). */
export const misuses = () => {
  // @ts-expect-error: no agent of this name
  mountAgents(new Hono(), { Other: '/x' });
  // @ts-expect-error: no leading slash
  mountAgents(new Hono(), { Orders: 'orders' });
  // @ts-expect-error: neither authorized nor public
  mountAgents(new Hono(), { Orders: { path: '/orders' } });
};
