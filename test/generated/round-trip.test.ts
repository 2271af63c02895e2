import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleModule } from '../support/bundle.ts';
import { type Child, startChild } from '../support/child.ts';
import type { Project } from '../support/project.ts';
import { generatedProject } from './generated-project.ts';

/** A server as a user writes it, on the loopback interface; it also talks to its own agents. */
const SERVER = `import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { inProcess } from '@flue/runtime';
import { start } from '@flue/runtime/node';
import { scriptModel } from '@flue/runtime/testing';
import { agents, manifestHash } from '../.flue/agents.ts';
import { connect } from '../.flue/client.ts';
import app from './app.ts';

scriptModel({
  steps({ messages }) {
    const last = JSON.stringify(messages.at(-1));
    if (last.includes('hold it')) return { toolCalls: [{ name: 'hold_order', arguments: { orderId: 'A-1' } }] };
    if (last.includes('Note it')) return { toolCalls: [{ name: 'note_order', arguments: { orderId: 'A-2' } }] };
    if (last.includes('Once more')) return { toolCalls: [{ name: 'of_the_past', arguments: { any: 1 } }] };
    return { text: 'As you wish.' };
  },
});
const path = process.env.MANIFEST;
await start({ agents, ...(path && { manifestHash, manifest: { path, text: readFileSync(path, 'utf8') } }) });
const { Greeter } = connect(inProcess());
app.get('/registered', (c) => c.json(agents.map(({ identity }) => identity)));
app.get('/greeting', async (c) => c.json(await Greeter.at('inside').dispatch('Hello')));
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.send!({ url: \`http://127.0.0.1:\${port}\` });
});
`;

const BROWSER = `import { connect, OrderDesk } from '../.flue/client.ts';

export const deskAt = (baseUrl: string, token?: string, fetch?: (url: string, init: RequestInit) => Promise<Response>) =>
  connect({ baseUrl, ...(token && { token }), ...(fetch && { fetch }) }).OrderDesk;
export const pageDesk = OrderDesk;
`;

/** What the bundle exports, as far as the test uses it. */
interface Desk {
  at(id: string): {
    send(request: unknown): Promise<{ submissionId: string; uid?: string }>;
    dispatch(request: unknown, o?: { onEvent(chunk: { type: string }): void }): Promise<{ text: string }>;
    read(target: unknown): Promise<{ text: string; uid?: string; submissionId: string }>;
    abort(o?: { submissionId?: string }): Promise<{ aborted: boolean }>;
    history(): Promise<{ messages: { role: string; parts: Record<string, unknown>[] }[] }>;
    observe(): Observation;
  };
}

interface Observation {
  getSnapshot(): { phase: string; offset?: string; conversation?: { settlements: unknown[] } };
  subscribe(listener: () => void): () => void;
  onTool(name: string, listener: (part: { state: string; output?: unknown }) => void): () => void;
  onData(name: string, listener: (data: unknown) => void): () => void;
  close(): void;
}

/** As it is after the wire. */
const NOTED = { noted: 'A-2', at: '1970-01-01T00:00:00.000Z' };

let project: Project;
let server: Child;
let url: string;
let serverFile: string;
let inputs: string[];
type Fetch = (url: string, init: RequestInit) => Promise<Response>;
let deskAt: (baseUrl: string, token?: string, fetch?: Fetch) => Desk;
let pageDesk: Desk;

beforeAll(async () => {
  project = await generatedProject({ 'src/main.ts': SERVER, 'src/browser.ts': BROWSER });
  serverFile = join(project.root, 'server.mjs');
  const browserFile = join(project.root, 'browser.mjs');
  const [{ metafile }] = await Promise.all([
    build({
      absWorkingDir: project.root,
      entryPoints: ['src/browser.ts'],
      outfile: browserFile,
      bundle: true,
      format: 'esm',
      platform: 'browser',
      conditions: ['flue-source'],
      metafile: true,
    }),
    bundleModule(pathToFileURL(project.path('src/main.ts')), serverFile),
  ]);
  inputs = Object.keys(metafile.inputs);
  ({ deskAt, pageDesk } = await import(pathToFileURL(browserFile).href));
  server = startChild(serverFile, {});
  ({ url } = await server.message<{ url: string }>('url'));
}, 120_000);

afterAll(async () => {
  await server?.kill();
  project?.remove();
});

describe('an application that uses the generated client', () => {
  it('has no server code in its browser bundle (TCLI-02, CLNT-01)', () => {
    const ours = inputs.filter((path) => path.includes('runtime/src/'));
    expect(ours.length).toBeGreaterThan(5);
    const places = ours.map((path) => path.slice(path.indexOf('runtime/src/') + 'runtime/src/'.length));
    const others = places.filter((path) => !path.startsWith('transports/client/'));
    const pure = ['conversation/metadata.ts', 'conversation/projections/transcript.ts'];
    expect(others.sort()).toEqual(['app/agent-run-error.ts', 'client.ts', ...pure]);
    expect(places).not.toContain('transports/client/in-process.ts');
    const rest = inputs.filter((path) => !path.includes('runtime/src/')).sort();
    expect(rest).toEqual(['.flue/client.ts', 'src/browser.ts']);
  });

  it('sends, follows and reads the reply of a real server (TCLI-05, CLNT-05, CLNT-07)', async () => {
    const desk = deskAt(url, 'let me').at('a/b é');
    const receipt = await desk.send({ message: 'Hello', uid: null, initialData: { customerId: 'c' } });
    const reply = await desk.read(receipt);
    expect(reply).toMatchObject({ text: 'As you wish.', submissionId: receipt.submissionId });
    expect(reply.uid).toBe(receipt.uid);
    const seen: string[] = [];
    await desk.dispatch('Again', { onEvent: ({ type }) => void seen.push(type) });
    expect(seen.at(-1)).toBe('submission-settled');
  });

  it('stops what runs there (STOP-03, CERR-02)', async () => {
    const desk = deskAt(url, 'let me').at('stopped');
    const { submissionId } = await desk.send({ message: 'hold it', initialData: { customerId: 'c' } });
    expect(await desk.abort({ submissionId })).toEqual({ aborted: true });
    await expect(desk.read(submissionId)).rejects.toMatchObject({
      name: 'FlueExecutionError',
      outcome: 'aborted',
    });
  });

  it('tells what tools and data parts do once, over an event stream that is cut off and comes back (TCLI-11, OBSV-03)', async () => {
    const reads: string[] = [];
    let cut: (() => void) | undefined;
    const desk = deskAt(url, 'let me', async (address, init) => {
      const { search } = new URL(address);
      if (init.method === 'GET' && !address.includes('/submissions/'))
        reads.push(search.replace(/offset=.*/, ''));
      if (!search.includes('live=sse')) return fetch(address, init);
      const stop = new AbortController();
      cut = () => stop.abort();
      return fetch(address, { ...init, signal: AbortSignal.any([init.signal!, stop.signal]) });
    }).at('observed');
    await desk.dispatch({ message: 'Note it', initialData: { customerId: 'c' } });

    const observation = desk.observe();
    const told: unknown[] = [];
    const settled = (count: number) =>
      new Promise<void>((resolve) => {
        const look = () => {
          const { phase, conversation } = observation.getSnapshot();
          if (phase === 'live' && conversation?.settlements.length === count) resolve();
        };
        observation.subscribe(look);
        // The stream may have told it before the send heard of it.
        look();
      });
    observation.onTool('note_order', ({ state, output }) => void told.push(state, output));
    observation.onData('progress', (data) => void told.push(data));
    await settled(1);
    await desk.dispatch('Note it');
    const both = settled(2);
    cut!();
    await both;
    await desk.dispatch('Note it');
    await settled(3);
    observation.close();
    const once = ['input-available', undefined, { done: 1 }, 'output-available', NOTED];
    expect(told).toEqual([...once, ...once]);
    expect(reads.filter((read) => read.includes('view=history'))).toHaveLength(1);
    expect(reads.filter((read) => read.includes('live=sse')).length).toBeGreaterThanOrEqual(2);
  });

  it('delivers parts that no contract names as they are (TCLI-12)', async () => {
    const desk = deskAt(url, 'let me').at('past');
    await desk.dispatch({ message: 'Once more', initialData: { customerId: 'c' } });
    const { messages } = await desk.history();
    expect(messages.at(-1)?.parts[0]).toMatchObject({
      type: 'dynamic-tool',
      toolName: 'of_the_past',
      input: { any: 1 },
      state: 'output-error',
    });
  });

  it('is refused by authorize and by the schema of the agent (TRTE-04, TCLI-14)', async () => {
    await expect(deskAt(url).at('x').send('Hello')).rejects.toMatchObject({ status: 403, type: 'forbidden' });
    const wrong = { message: 'x', initialData: { customerId: 7 } };
    await expect(deskAt(url, 'let me').at('x').send(wrong)).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request',
    });
  });

  it('has a named accessor that reaches the server of its page, and names connect elsewhere (TCLI-05)', async () => {
    expect(() => pageDesk.at('x')).toThrow(/connect\(\{ baseUrl \}\)/);
    const page = globalThis as { location?: { origin: string } };
    page.location = { origin: url };
    try {
      await expect(pageDesk.at('page').read('sub_x')).rejects.toMatchObject({ status: 404 });
    } finally {
      delete page.location;
    }
  });

  it('has every capitalized function of its marked modules registered, and over HTTP only what it mounts (IDENT-01)', async () => {
    expect(await (await fetch(`${url}/registered`)).json()).toEqual(['Greeter', 'order-desk']);
    // Addressable, and no route leads there.
    expect((await (await fetch(`${url}/greeting`)).json()) as object).toMatchObject({ text: 'As you wish.' });
    const hello = { method: 'POST', body: '{"kind":"user","body":"hi"}' };
    for (const name of ['Greeter', 'greeter']) {
      expect((await fetch(`${url}/agents/${name}/inside`, hello)).status).toBe(404);
    }
  });

  it('works from the same file in process, also for an agent that is not mounted (TCLI-01, TCLI-05)', async () => {
    const response = await fetch(`${url}/greeting`);
    expect(await response.json()).toMatchObject({ text: 'As you wish.' });
    expect((await fetch(`${url}/agents/greeter/inside`)).status).toBe(404);
  });
});

describe('a server with the manifest of its build', () => {
  let checked: Child;
  let checkedUrl: string;
  beforeAll(async () => {
    checked = startChild(serverFile, { MANIFEST: project.path('.flue/manifest.json') });
    ({ url: checkedUrl } = await checked.message<{ url: string }>('url'));
  });
  afterAll(() => checked?.kill());

  it('registers the generated agents and serves what it serves without one (LOAD-01, REG-02)', async () => {
    for (const place of [url, checkedUrl]) {
      const desk = deskAt(place, 'let me').at('with-or-without');
      const { text } = await desk.dispatch({ message: 'Hello', initialData: { customerId: 'c' } });
      expect(text).toBe('As you wish.');
    }
  });

  it('gives it to nobody (LOAD-07)', async () => {
    const { hash } = JSON.parse(readFileSync(project.path('.flue/manifest.json'), 'utf8'));
    const paths = [
      '/',
      '/manifest.json',
      '/.flue/manifest.json',
      '/agents/orders',
      '/agents/orders/manifest.json',
    ];
    for (const path of paths) {
      const response = await fetch(checkedUrl + path, { headers: { authorization: 'Bearer let me' } });
      expect(response.status).toBeGreaterThanOrEqual(400);
      const body = await response.text();
      expect(body).not.toContain(hash);
      expect(body).not.toContain('manifestVersion');
    }
  });
});
