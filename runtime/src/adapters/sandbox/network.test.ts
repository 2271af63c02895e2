import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { virtual } from './virtual.ts';

interface Site {
  readonly server: Server;
  readonly origin: string;
  readonly requests: { method: string; url: string; headers: object; body: string }[];
}

async function open(): Promise<Site> {
  const requests: Site['requests'] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      requests.push({ method, url, headers, body });
      const { searchParams } = new URL(url, 'http://x');
      const to = url === '/api/loop' ? url : searchParams.get('to');
      if (to) response.writeHead(Number(searchParams.get('status') ?? 302), { location: to }).end();
      else response.end(`at ${url}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, requests, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

let site: Site;
let other: Site;
beforeAll(async () => {
  [site, other] = await Promise.all([open(), open()]);
});
afterAll(() => {
  for (const { server } of [site, other]) server.close();
});

async function shell(network: NonNullable<Parameters<typeof virtual>[0]>['network'] & object) {
  const env = await virtual({ network }).createSessionEnv({ id: 'a' });
  return (command: string) => env.exec(command);
}
const to = (url: string, status = 302) => `to=${encodeURIComponent(url)}&status=${status}`;

describe('the network of virtual()', () => {
  it('is what its prefixes allow: an origin, a path, methods (VIRT-03)', async () => {
    const run = await shell({ allowedUrlPrefixes: [`${site.origin}/api/`] });
    expect(await run(`curl -s ${site.origin}/api/x`)).toMatchObject({ stdout: 'at /api/x', exitCode: 0 });
    const reached = site.requests.length + other.requests.length;
    const refused = [
      `${site.origin}/apix`,
      `${site.origin}/api/../x`,
      `${other.origin}/api/x`,
      `http://localhost:${new URL(site.origin).port}/api/x`,
      `http://user@evil.test@127.0.0.1/api/x`,
      `-X POST -d x ${site.origin}/api/x`,
    ];
    for (const url of refused) {
      const result = await run(`curl -s -S ${url}`);
      expect([url, result.exitCode === 0, result.stdout]).toEqual([url, false, '']);
    }
    expect(site.requests.length + other.requests.length).toBe(reached);
    const posting = await shell({ allowedUrlPrefixes: [site.origin], allowedMethods: ['POST'] });
    expect((await posting(`curl -s -d x ${site.origin}/p`)).stdout).toBe('at /p');
  });

  it('checks every redirect like a first request (VIRT-03)', async () => {
    const run = await shell({ allowedUrlPrefixes: [`${site.origin}/api/`, `${other.origin}/b/`] });
    const from = (url: string) => run(`curl -s -S -L '${site.origin}/api/r?${to(url)}'`);
    expect((await from('/api/y')).stdout).toBe('at /api/y');
    expect((await from(`${other.origin}/b/z`)).stdout).toBe('at /b/z');
    const reached = other.requests.length;
    for (const url of [
      '/secret',
      `${other.origin}/c`,
      'http://169.254.169.254/latest',
      'file:///etc/passwd',
    ]) {
      const result = await from(url);
      expect([url, result.exitCode === 0, result.stdout]).toEqual([url, false, '']);
    }
    expect(other.requests.length).toBe(reached);
    expect(site.requests.some(({ url }) => url === '/secret')).toBe(false);
    const before = site.requests.length;
    expect((await from('/api/loop')).exitCode).toBe(47);
    expect(site.requests.length - before).toBeLessThan(30);
  });

  it('takes no credentials and no body where a redirect leads elsewhere (VIRT-03)', async () => {
    const run = await shell({
      allowedUrlPrefixes: [site.origin, other.origin],
      allowedMethods: ['GET', 'POST'],
    });
    await run(
      `curl -s -L -H 'Authorization: Bearer x' -d 'secret' '${site.origin}/r?${to(`${other.origin}/b`)}'`,
    );
    expect(other.requests.at(-1)).toMatchObject({ method: 'GET', body: '', url: '/b' });
    expect(other.requests.at(-1)?.headers).not.toHaveProperty('authorization');
    await run(`curl -s -L -d 'kept' '${site.origin}/r?${to('/again', 307)}'`);
    expect(site.requests.at(-1)).toMatchObject({ method: 'POST', body: 'kept', url: '/again' });
  });

  it('reaches no private address through a name, nor one that no prefix has as its host (VIRT-03)', async () => {
    const { port } = new URL(site.origin);
    // Both names lead to this machine, if anywhere.
    const names = [hostname(), 'ip6-localhost'].map((name) => `http://${name}:${port}`);
    const run = await shell({ allowedUrlPrefixes: [...names, 'http://example.com'] });
    const reached = site.requests.length;
    for (const url of [
      ...names,
      site.origin,
      `http://[::1]:${port}`,
      'http://10.0.0.1',
      'http://2130706433',
    ]) {
      const result = await run(`curl -s -S ${url}/x`);
      expect([url, result.exitCode === 0, result.stdout]).toEqual([url, false, '']);
    }
    expect(site.requests.length).toBe(reached);
    const literal = await shell({ allowedUrlPrefixes: [`http://localhost:${port}`] });
    expect((await literal(`curl -s http://localhost:${port}/y`)).stdout).toBe('at /y');
  });

  it.each([
    [{}, /allowedUrlPrefixes must be a list/],
    [{ allowedUrlPrefixes: [] }, /at least one/],
    [{ allowedUrlPrefixes: ['example.com'] }, /"example\.com" must begin with http/],
    [{ allowedUrlPrefixes: ['https://a:b@example.com'] }, /no credentials/],
    [
      { allowedUrlPrefixes: ['https://x.test'], allowedMethods: ['BREW'] },
      /allowedMethods must be a list of GET/,
    ],
    [{ allowedUrlPrefixes: ['https://x.test'], hosts: [] }, /"hosts"/],
  ])('refuses %j (VIRT-01)', (network, message) => {
    expect(() => virtual({ network } as never)).toThrow(message);
  });
});
