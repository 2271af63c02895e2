import { SourceMap, type SourceMapPayload } from 'node:module';
import { Script } from 'node:vm';
import { analyse, memoryHost } from '@flue/compiler/analysis';
import * as runtime from '@flue/runtime';
import { build, transform } from 'esbuild';
import { rolldown } from 'rolldown';
import { minify } from 'terser';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { type BoundAgent, bindIdentities } from './bind-identities.ts';

const FILE = '/project/src/agents/desk.ts';
const BODY = "{ useModel('offline/demo'); }";

/** Every form in which an agent is exported (BIND-03), with the identities that it gives. */
const FORMS: readonly (readonly [form: string, text: string, ...identities: string[]])[] = [
  ['a function declaration', `export function Orders(): void ${BODY}`, 'Orders'],
  ['a function expression', `export const Orders = function (): void ${BODY};`, 'Orders'],
  ['an arrow', `export const Orders = (): void => ${BODY};`, 'Orders'],
  ['an arrow behind a type', `export const Orders = ((): void => ${BODY}) satisfies () => void;`, 'Orders'],
  ['a default function', `export default function Orders(): void ${BODY}`, 'Orders'],
  ['a list', `function Orders(): void ${BODY}\nexport { Orders };`, 'Orders'],
  ['a list with another name', `const orders = (): void => ${BODY};\nexport { orders as Desk };`, 'Desk'],
  ['a list as default', `const Orders = (): void => ${BODY};\nexport { Orders as default };`, 'Orders'],
  ['a default name', `const Orders = (): void => ${BODY};\nexport default Orders;`, 'Orders'],
  [
    'a default name, cast',
    `const Orders = (): void => ${BODY};\nexport default (Orders as () => void);`,
    'Orders',
  ],
  [
    'a default name, checked',
    `function Orders(): void ${BODY}\nexport default Orders satisfies () => void;`,
    'Orders',
  ],
  ['a default name that is there', `function Orders(): void ${BODY}\nexport default Orders!;`, 'Orders'],
  [
    'a name of its own',
    `export function Orders(): void ${BODY}\nOrders.agentName = 'order-desk';`,
    'order-desk',
  ],
  [
    'two in one module',
    `export function Orders() ${BODY}\nexport const Returns = () => ${BODY};`,
    'Orders',
    'Returns',
  ],
];

/** Syntax that only TypeScript reads, around the agents (BIND-08). */
const TYPES = `import type { Agent } from '@flue/runtime';
enum Level { Low = 1 }
namespace Units { export const each = 1; }
abstract class Base<T extends object = { a: 1 }> { constructor(protected readonly of: T, private b = Level.Low) { void Units.each; } }
declare const later: unique symbol;
type Of = Agent | typeof later | Base<object>;
`;

const moduleOf = (text: string) => `'use agent';\nimport { useModel } from '@flue/runtime';\n${TYPES}${text}`;

interface Bundle {
  readonly code: string;
  readonly map: string;
}

const BUNDLERS: Readonly<Record<string, (text: string) => Promise<Bundle>>> = {
  esbuild: esbuildBundle,
  rolldown: (text) => rolldownBundle(text, true),
  terser: terserBundle,
};

describe.each(Object.entries(BUNDLERS))('identities in a bundle minified by %s', (_, bundle) => {
  it.each(FORMS)('survive where the agent is %s (BIND-01, BIND-03)', async (_, text, ...identities) => {
    const source = moduleOf(text);
    const { code } = await bundle(source);
    const agents = agentsIn(run(code));
    expect(agents.map(identityOf).sort()).toEqual(identities);
    expect(agents.map(({ name }) => name)).not.toEqual(identities);
  });

  it('are those of the new functions when the module is evaluated again, and the old ones keep theirs (BIND-13)', async () => {
    const { code } = await bundle(moduleOf(`export function Orders() ${BODY}`));
    const [before, after] = [agentsIn(run(code)), agentsIn(run(code))];
    expect(after[0]).not.toBe(before[0]);
    expect([...before, ...after].map(identityOf)).toEqual(['Orders', 'Orders']);
  });

  it('leave what stands in the module, in its order: it runs as it did (BIND-04, BIND-05)', async () => {
    const text = moduleOf(
      `const seen: string[] = ['first'];\nexport function Orders() ${BODY}\nseen.push('second');\nexport { seen };\nseen.push(Orders.length === 0 ? 'third' : '');`,
    );
    expect(run((await bundle(text)).code).seen).toEqual(['first', 'second', 'third']);
  });

  it('leave positions alone: a thrown error is found where its author wrote it (BIND-06)', async () => {
    const text = moduleOf(
      `export function Orders() ${BODY}\n\ndeclare const missing: (said: string) => void;\nexport function fail(reason: string) {\n  void reason;  missing(reason);\n}\n`,
    );
    const { code, map } = await bundle(text);
    const { fail } = run(code) as { fail: (reason: string) => void };
    expect(originOf(() => fail('stock'), map)).toEqual(placeOf(text, 'missing(reason)'));
  });
});

describe('the identity transform', () => {
  it.each(FORMS)('takes %s before types are stripped and after (BIND-08)', async (_, text, ...identities) => {
    const source = moduleOf(text);
    const stripped = (await transform(source, { loader: 'ts', format: 'esm' })).code;
    for (const [order, first] of Object.entries({ source, stripped })) {
      const bound = bind(first, agentsOf(source));
      const { code } = await transform(bound, { loader: 'ts', format: 'cjs' });
      expect(agentsIn(run(code)).map(identityOf).sort(), order).toEqual(identities);
    }
  });

  it.each([
    ['ends in a comment', (text: string) => `${text}\n// the end`],
    ['ends without a semicolon', (text: string) => text.replace(/;\s*$/, '')],
    ['has a byte-order mark', (text: string) => `\ufeff${text}`],
    ['has Windows line ends', (text: string) => text.replaceAll('\n', '\r\n')],
    ['begins with a line for the shell', (text: string) => `#!/usr/bin/env node\n${text}`],
    ['names its own source map', (text: string) => `${text}\n//# sourceMappingURL=desk.ts.map`],
    [
      'mentions the call in a text',
      (text: string) => `${text}\nexport const note = '(Orders, { identity: "Orders" })';`,
    ],
  ])('takes a module that %s, and takes it once (BIND-07)', async (_, written) => {
    const source = written(moduleOf(`export const Orders = (): void => ${BODY};`));
    const bound = bind(source, agentsOf(source));
    expect(bindIdentities(bound, agentsOf(source), FILE)).toBeUndefined();
    const { code } = await transform(bound.replace(/^#!.*/, ''), { loader: 'ts', format: 'cjs' });
    expect(agentsIn(run(code)).map(identityOf)).toEqual(['Orders']);
  });
});

function agentsOf(text: string): BoundAgent[] {
  const path = 'src/agents/desk.ts';
  const { agents } = analyse([path], memoryHost(ts, { [path]: text }));
  return agents.map(({ function: local, identity }) => ({ local, identity }));
}

function bind(text: string, agents: readonly BoundAgent[]): string {
  const bound = bindIdentities(text, agents, FILE);
  if (!bound) throw new Error('nothing was bound');
  return bound.code;
}

async function esbuildBundle(text: string): Promise<Bundle> {
  const bound = bindIdentities(text, agentsOf(text), FILE);
  const { outputFiles } = await build({
    stdin: {
      contents: `${bound?.code}//# sourceMappingURL=${bound?.map.toUrl()}`,
      sourcefile: FILE,
      loader: 'ts',
    },
    bundle: true,
    minify: true,
    format: 'cjs',
    external: ['@flue/runtime'],
    sourcemap: 'external',
    outfile: '/project/dist/server.js',
    write: false,
    logLevel: 'silent',
  });
  const [map, code] = [...outputFiles].sort((a, b) => (a.path > b.path ? -1 : 1)).map((file) => file.text);
  return { code: code ?? '', map: map ?? '' };
}

async function rolldownBundle(text: string, isMinified: boolean): Promise<Bundle> {
  const bundle = await rolldown({
    input: FILE,
    external: ['@flue/runtime'],
    plugins: [
      {
        name: 'bound',
        resolveId: (id) => (id === FILE ? id : null),
        load: (id) => (id === FILE ? { code: text, moduleType: 'ts' } : null),
        transform: (code, id) => {
          const bound = bindIdentities(code, agentsOf(code), id);
          return bound && { code: bound.code, map: bound.map.toString() };
        },
      },
    ],
  });
  const { output } = await bundle.generate({
    format: 'cjs',
    exports: 'named',
    minify: isMinified,
    sourcemap: true,
  });
  await bundle.close();
  return { code: output[0].code, map: JSON.stringify(output[0].map) };
}

async function terserBundle(text: string): Promise<Bundle> {
  const { code, map } = await rolldownBundle(text, false);
  const minified = await minify(code, { toplevel: true, sourceMap: { content: map } });
  return { code: minified.code ?? '', map: String(minified.map) };
}

type Exports = Record<string, unknown>;

/** A bundle's exports; it runs as CommonJS, with the runtime of this process. */
function run(code: string): Exports {
  const script = new Script(`(function (module, exports, require) {${code}\n})`, { filename: 'bundle.js' });
  const module = { exports: {} as Exports };
  script.runInThisContext()(module, module.exports, () => runtime);
  return module.exports;
}

type AgentFunction = (() => void) & { readonly name: string };

function agentsIn(exports: Exports): AgentFunction[] {
  return Object.values(exports).filter((value): value is AgentFunction => typeof value === 'function');
}

/** What the runtime knows the function as: it refuses to bind it to a second name, and says the first. */
function identityOf(agent: AgentFunction): string | undefined {
  try {
    runtime.__flueBindAgentModule(agent, { identity: 'Other' });
    return undefined;
  } catch (error) {
    return /"([^"]+)"/.exec((error as Error).message)?.[1];
  }
}

function originOf(fail: () => void, map: string): { line: number; column: number } {
  try {
    fail();
  } catch (error) {
    const [, line, column] = /bundle\.js:(\d+):(\d+)/.exec(String((error as Error).stack)) ?? [];
    const offset = Number(line) === 1 ? '(function (module, exports, require) {'.length : 0;
    const entry = new SourceMap(JSON.parse(map) as SourceMapPayload).findEntry(
      Number(line) - 1,
      Number(column) - 1 - offset,
    );
    if ('originalLine' in entry) return { line: entry.originalLine + 1, column: entry.originalColumn + 1 };
  }
  throw new Error('nothing was thrown that the map knows');
}

function placeOf(text: string, part: string): { line: number; column: number } {
  const before = text.slice(0, text.indexOf(part)).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
