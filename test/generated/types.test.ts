import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../support/project.ts';
import { generatedProject } from './generated-project.ts';

const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));

/** What a browser's project says: no types of Node. */
const BROWSER = `import { type ConversationPart, isDataPart, isToolPart } from '@flue/runtime/client';
import { connect, OrderDesk as named, type OrderDeskContract } from '../.flue/client.ts';

const { OrderDesk } = connect({ baseUrl: 'https://shop.test' });
const desk = OrderDesk.at('42');
declare const either: string | null;

export async function compiles(): Promise<string> {
  await desk.send('a bare string');
  await desk.send({ message: 'x' });
  await desk.send({ message: { kind: 'signal', type: 'order.paid', body: '' } });
  await desk.send({ message: 'x', uid: 'one' });
  await desk.send({ message: 'x', uid: null, initialData: { customerId: 'c' } });
  await desk.send({ message: 'x', initialData: { customerId: 'c', tier: 'paid' } });
  await OrderDesk.at('42', { uid: 'one' }).send({ message: 'x' });
  await connect({ baseUrl: 'https://shop.test', mounts: { Greeter: '/greeter' } }).Greeter.at('1').send('x');
  await named.fresh().send({ message: 'x', uid: null, initialData: { customerId: 'c' } });
  const reply = await desk.dispatch('x', {
    onEvent(chunk) {
      if (chunk.type === 'data-part') chunk.name satisfies 'progress';
      if (chunk.type === 'data-part') chunk.data.done satisfies number;
      if (chunk.type === 'message-appended') chunk.message.parts satisfies readonly { type: string }[];
      if (chunk.type !== 'tool-input' && chunk.type !== 'tool-output') return;
      if (chunk.toolName === 'bash') {
        if (chunk.type === 'tool-input' && chunk.inputValid) chunk.input.command satisfies string;
        return;
      }
      if (chunk.toolName !== 'hold_order') return;
      if (chunk.type === 'tool-output') chunk.output.held satisfies boolean;
      else if (chunk.inputValid) chunk.input.orderId satisfies string;
      // @ts-expect-error: arguments that did not fit the schema may be anything
      else chunk.input.orderId;
    },
  });
  return reply.text;
}

type Part = ConversationPart<OrderDeskContract>;

export function shows(part: Part): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'data-progress':
      return part.data.done.toFixed();
    case 'file':
      return part.url ?? '';
    case 'dynamic-tool':
      switch (part.toolName) {
        case 'hold_order':
          part.input satisfies unknown;
          // @ts-expect-error: nobody knows yet whether they passed the schema
          part.input.orderId;
          if (part.state === 'output-available') return part.input.orderId + String(part.output.held);
          return part.state === 'input-available' && part.inputValid ? part.input.orderId : '';
        case 'note_order':
          return part.state === 'output-available' ? part.output.noted + part.output.at.slice(0, 10) : '';
        case 'read':
          return part.state === 'output-available' ? part.input.path + part.output : '';
        case 'task':
          // @ts-expect-error: what the framework's tools answer is text
          return part.state === 'output-available' ? part.output.text : '';
        default:
          return part.toolName;
      }
    default:
      return part.type;
  }
}

export function narrows(part: Part): void {
  if (isToolPart(part, 'note_order') && part.state === 'output-available') part.output.at satisfies string;
  if (isDataPart(part, 'progress')) part.data.done satisfies number;
}

interface OpenContract extends Omit<OrderDeskContract, 'openTools'> {
  openTools: string & {};
}
export function narrowsInAnOpenSet(part: ConversationPart<OpenContract>): void {
  if (isToolPart(part, 'note_order') && part.state === 'output-available') part.output.at satisfies string;
  if (isToolPart(part, 'made_up') && part.state === 'output-available') part.output satisfies unknown;
  // @ts-expect-error: nobody knows what it answers
  if (isToolPart(part, 'made_up') && part.state === 'output-available') part.output.at;
}

const observation = desk.observe({ live: 'long-poll', limit: 20 });
observation.onTool('note_order', (part, message) => {
  if (part.state === 'output-available') part.output.noted satisfies string;
  message.parts satisfies readonly Part[];
});
observation.onTool('grep', (part) => void (part.state === 'output-available' && part.input.pattern.length));
observation.onData('progress', ({ done }) => done.toFixed());
observation.getSnapshot().conversation?.messages.flatMap(({ parts }) => parts).map(shows);

export function wrongParts(): void {
  // @ts-expect-error: no such tool
  observation.onTool('note_orders', () => {});
  // @ts-expect-error: no such data part
  observation.onData('progres', () => {});
  // @ts-expect-error: progress is a number
  observation.onData('progress', ({ done }) => done.trim());
  // @ts-expect-error: nobody says when it was held
  observation.onTool('hold_order', (part) => part.state === 'output-available' && part.output.at);
}

export async function doesNotCompile(): Promise<void> {
  // @ts-expect-error: a string uid continues, so there is nothing to create
  await desk.send({ message: 'x', uid: 'one', initialData: { customerId: 'c' } });
  // @ts-expect-error: the same, where the uid may be a string
  await desk.send({ message: 'x', uid: either, initialData: { customerId: 'c' } });
  // @ts-expect-error: creating needs the data
  await desk.send({ message: 'x', uid: null });
  // @ts-expect-error: the schema says string
  await desk.send({ message: 'x', initialData: { customerId: 7 } });
  // @ts-expect-error: no tier of this name
  await desk.send({ message: 'x', initialData: { customerId: 'c', tier: 'gold' } });
  // @ts-expect-error: no such field
  await desk.send({ message: 'x', initialData: { customerId: 'c', other: 1 } });
  // @ts-expect-error: this conversation continues one incarnation
  await OrderDesk.at('42', { uid: 'x' }).send({ message: 'x', initialData: { customerId: 'c' } });
  // @ts-expect-error: not mounted, so there is no such key
  connect({ baseUrl: 'https://shop.test' }).Greeter;
  // @ts-expect-error: no agent of this name
  connect({ baseUrl: 'https://shop.test', mounts: { Other: '/x' } });
}
`;

const SERVER = `import { dispatch, init, inProcess } from '@flue/runtime';
import { start } from '@flue/runtime/node';
import { Hono } from 'hono';
import { agents, manifestHash } from 'virtual:flue/agents';
import app from 'virtual:flue/app';
import db from 'virtual:flue/db';
import { type Agents, connect } from '../.flue/client.ts';
import { mountAgents } from '../.flue/routes.ts';
import Greeter from './agents/greeter.ts';
import { OrderDesk } from './agents/order-desk.ts';

export async function typedByTheFunction(either: string | null): Promise<void> {
  const id = '42';
  await dispatch(OrderDesk, { id, message: 'x' });
  await dispatch(OrderDesk, { id, message: 'x', initialData: { customerId: 'c', tier: 'paid' } });
  await dispatch(OrderDesk, { id, message: 'x', uid: null, initialData: { customerId: 'c' } });
  await dispatch(OrderDesk, { id, message: 'x', uid: 'one' });
  await dispatch(Greeter, { id, message: 'x', initialData: [1, 2] });
  // @ts-expect-error: a string uid continues, so there is nothing to create
  await dispatch(OrderDesk, { id, message: 'x', uid: 'one', initialData: { customerId: 'c' } });
  // @ts-expect-error: the same, where the uid may be a string
  await dispatch(OrderDesk, { id, message: 'x', uid: either, initialData: { customerId: 'c' } });
  // @ts-expect-error: creating needs the data
  await dispatch(OrderDesk, { id, message: 'x', uid: null });
  // @ts-expect-error: the schema says string
  await dispatch(OrderDesk, { id, message: 'x', initialData: { customerId: 7 } });
  // @ts-expect-error: no such field
  await dispatch(OrderDesk, { id, message: 'x', initialData: { customerId: 'c', other: 1 } });

  const desk = init(OrderDesk, { id });
  await desk.dispatch('x');
  await desk.dispatch({ message: 'x', initialData: { customerId: 'c' } });
  await init(OrderDesk, { uid: null }).dispatch({ message: 'x', initialData: { customerId: 'c' } });
  await init(OrderDesk, { id, uid: either }).dispatch('x');
  // @ts-expect-error: no tier of this name
  await desk.dispatch({ message: 'x', initialData: { customerId: 'c', tier: 'gold' } });
  // @ts-expect-error: this handle continues one incarnation
  await init(OrderDesk, { id, uid: 'one' }).dispatch({ message: 'x', initialData: { customerId: 'c' } });
  // @ts-expect-error: the same, where the uid may be a string
  await init(OrderDesk, { id, uid: either }).dispatch({ message: 'x', initialData: { customerId: 'c' } });
}

export const all: Agents = connect(inProcess());
export const greeting: Promise<{ text: string }> = all.Greeter.at('1').dispatch('Hello');
export const running: Promise<unknown> = start({ agents, manifestHash, ...(db && { db }) });
export const answer: Response | Promise<Response> = app.fetch(new Request('http://x.test'));

export type Identities = FlueRegister['identity'];
export const identity: Identities = 'order-desk';
// @ts-expect-error: no identity of this application
export const other: Identities = 'OrderDesk';

export function mistakes(): void {
  mountAgents(new Hono(), { OrderDesk: '/orders', Greeter: { path: '/greeter', public: true } });
  mountAgents(new Hono(), { OrderDesk: { path: '/orders', authorize: ({ id, action }) => id === action } });
  // @ts-expect-error: no agent of this name
  mountAgents(new Hono(), { Other: '/x' });
  // @ts-expect-error: no leading slash
  mountAgents(new Hono(), { OrderDesk: 'orders' });
}
`;

const STRICT = {
  strict: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  isolatedDeclarations: true,
  declaration: true,
  noEmit: true,
  skipLibCheck: true,
  target: 'es2023',
  allowImportingTsExtensions: true,
  customConditions: ['flue-source'],
};
const RESOLUTIONS = {
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
  nodenext: { module: 'nodenext', moduleResolution: 'nodenext' },
};

let project: Project;
beforeAll(async () => {
  project = await generatedProject();
  // Afterwards, since our own compiler refuses wrong sends too.
  project.write({ 'src/browser.ts': BROWSER, 'src/server.ts': SERVER });
});
afterAll(() => project?.remove());

/** What the compiler says of the project's own files; those of the workspace are judged elsewhere. */
async function faults(name: string, options: object, files: readonly string[]): Promise<string[]> {
  project.write({
    [`tsconfig.${name}.json`]: JSON.stringify({ compilerOptions: { ...STRICT, ...options }, files }),
  });
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [tsc, '-p', `tsconfig.${name}.json`], { cwd: project.root }, (_, stdout) =>
      resolve(stdout),
    );
  });
  return output.split('\n').filter((line) => /^(?:\.flue|src)\/|^error/.test(line));
}

describe.each(Object.entries(RESOLUTIONS))('with moduleResolution %s', (name, resolution) => {
  it.each([true, false])(
    'a browser takes the client and rejects wrong sends and wrong parts, exactOptionalPropertyTypes %s (EMIT-05, TCLI-06, TCLI-07, TCLI-09, TCLI-11)',
    async (exactOptionalPropertyTypes) => {
      const options = { ...resolution, exactOptionalPropertyTypes, lib: ['es2023', 'dom'], types: [] };
      expect(await faults(`${name}-browser`, options, ['.flue/client.ts', 'src/browser.ts'])).toEqual([]);
    },
    120_000,
  );

  it('a server takes client, routes and virtual modules, and rejects wrong mounts and wrong sends (EMIT-05, REG-05, TRTE-03, TCLI-15)', async () => {
    const options = {
      ...resolution,
      exactOptionalPropertyTypes: true,
      // an agent's statics cannot be declared in isolation
      isolatedDeclarations: false,
      lib: ['es2023', 'esnext.disposable'],
      types: ['node'],
    };
    const files = ['.flue/client.ts', '.flue/env.d.ts', '.flue/routes.ts', 'src/server.ts'];
    expect(await faults(`${name}-server`, options, files)).toEqual([]);
  }, 120_000);
});
