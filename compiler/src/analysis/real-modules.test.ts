import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { type Analysis, analyse } from './analyse.ts';
import type { AnalysisHost } from './host.ts';
import { memoryHost } from './memory-host.ts';

/** Traits of agent modules in the wild. None of them may be reported, except where the row says so. */
const TOOLS = `import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
export const lookup = defineTool({ name: 'lookup', description: 'Look up.', input: v.object({ id: v.string() }), run() {} });
export const makeTool = (name: string, tenant: string) => defineTool({ name, description: 'Of ' + tenant, run() {} });
export const many = [lookup, makeTool('second', 't')];
`;

function run(
  files: Record<string, string>,
  adapt: (host: AnalysisHost) => AnalysisHost = (host) => host,
): Analysis {
  const all = { 'src/tools.ts': TOOLS, ...files };
  const analysis = analyse(Object.keys(all), adapt(memoryHost(ts, all)));
  expect(analysis.failures).toEqual([]);
  return analysis;
}

function found(text: string, more: Record<string, string> = {}, path = 'src/agent.ts'): string[] {
  return run({ [path]: text, ...more }).diagnostics.map(
    ({ code, severity, message }) => `${code} ${severity}: ${message}`,
  );
}

const IMPORTS = `import { useAgentStart, useDataWriter, useDelivery, useInitialData, useInstruction, useModel, usePersistentState, useSandbox, useSkill, useSubagent, useTool, defineTool } from '@flue/runtime';
import * as v from 'valibot';
import { lookup, makeTool, many } from './tools.ts';
`;
const agent = (body: string, after = '') =>
  `'use agent';\n${IMPORTS}export function Desk({ id }: { id: string }) {\n  useModel('anthropic/claude-haiku-4-5');\n  ${body}\n}\n${after}`;

describe('real agent modules', () => {
  it.each([['// @ts-nocheck\n/* licence */\n'], ['\ufeff'], ['#!/usr/bin/env node\n'], ["'use strict'\n"]])(
    'the directive after %j marks the module (AN-01)',
    (before) => {
      const text = `${before}"use agent" // ours\nimport { useModel } from '@flue/runtime'\nexport function Desk() { useModel('a/b') }`;
      const analysis = run({ 'src/a.ts': text.replace(/^\ufeff/, '') });
      expect(analysis.diagnostics).toEqual([]);
      expect(analysis.agents.map(({ identity }) => identity)).toEqual(['Desk']);
    },
  );

  it('a marked module of another product gets one note (AN-02)', () => {
    expect(found(`'use agent';\nimport { agent } from 'other-sdk';\nexport const run = agent();`)).toEqual([
      expect.stringMatching(/^FLUE1005 info/),
    ]);
  });

  it('capitalised exports that are no functions are no agents (AN-03)', () => {
    const more = `export const DeskData = v.object({ a: v.string() });
export const Title = 'x'; export class DeskError extends Error {} export enum Mode { On, Off }
export const Options = { a: 1 }; export type Shape = { a: 1 }; export interface Other { b: 2 }`;
    const analysis = run({ 'src/agent.ts': agent("return 'x';", more) });
    expect(analysis.diagnostics).toEqual([]);
    expect(analysis.agents).toHaveLength(1);
  });

  it('lowercase exports of every kind stand beside an agent (AN-04)', () => {
    const more = `export async function load() { return 1; } export const limit = 3; export const helper = async () => {};
export function useExtras() { useTool(lookup); }`;
    expect(found(agent('useExtras();', more))).toEqual([]);
  });

  it.each([
    ["export default function Desk() { useModel('a/b'); }", 'Desk'],
    ["const Desk = () => { useModel('a/b'); };\nexport { Desk };", 'Desk'],
    ["const Desk = () => { useModel('a/b'); };\nexport default Desk;", 'Desk'],
    [
      "const Local = () => { useModel('a/b'); };\nLocal.agentName = 'desk';\nexport { Local as Desk };",
      'desk',
    ],
    ["export const Desk = ((props) => { useModel('a/b'); }) satisfies Agent;", 'Desk'],
  ])('the export form %j registers (AN-05)', (text, identity) => {
    const analysis = run({ 'src/a.ts': `'use agent';\nimport { useModel } from '@flue/runtime';\n${text}` });
    expect(analysis.diagnostics).toEqual([]);
    expect(analysis.agents.map((fact) => fact.identity)).toEqual([identity]);
  });

  it('anonymous and async agents are errors (AN-05)', () => {
    expect(
      found(
        `'use agent';\nimport { useModel } from '@flue/runtime';\nexport default () => { useModel('a/b'); };`,
      ),
    ).toEqual([expect.stringMatching(/^FLUE1007 error/)]);
    expect(
      found(
        `'use agent';\nimport { useModel } from '@flue/runtime';\nexport async function Desk() { useModel('a/b'); }`,
      ),
    ).toEqual([expect.stringMatching(/^FLUE1006 error/)]);
  });

  it('a function that is only ever a delegate needs no model (AN-06)', () => {
    const more =
      "function Reader() { useTool(lookup); return 'read'; }\nexport function Writer() { return 'write'; }";
    const body =
      "useSubagent({ name: 'r', description: 'd', agent: Reader });\n  useSubagent({ name: 'w', description: 'd', agent: Writer });";
    expect(found(agent(body, more))).toEqual([]);
    expect(found(agent(body, "function Reader() {}\nexport function Writer() { useModel('a/b'); }"))).toEqual(
      [expect.stringMatching(/^FLUE2303 error/)],
    );
  });

  it('statics stand anywhere at the top level, computed or asserted (AN-07)', () => {
    const more = `const far = 1;\n\nDesk.initialData = v.optional(v.object({ n: v.number() }), { n: far }) satisfies unknown;
Desk.durability = policy();\nDesk.agentName = 'desk' as const;\nfunction policy() { return { maxAttempts: Number(process.env.N) }; }`;
    expect(found(agent('', more))).toEqual([]);
  });

  it('a static may be used before its assignment (AN-08)', () => {
    expect(
      found(
        agent(
          'const data = useInitialData<typeof Desk.initialData>();\n  return data.x;',
          'Desk.initialData = v.object({});',
        ),
      ),
    ).toEqual([]);
  });

  it('hooks reached through custom hooks of other modules count (AN-09)', () => {
    const text = `'use agent';\nimport { useDesk } from './hooks/index.ts';\nexport function Desk() { return useDesk('x'); }`;
    const more = {
      'src/hooks/index.ts': "export * from './desk.ts';",
      'src/hooks/desk.ts':
        "import { useBase as base } from './base.ts';\nexport const useDesk = (tone: string) => { base(); return `Be ${tone}`; };",
      'src/hooks/base.ts':
        "import * as flue from '@flue/runtime';\nexport function useBase() { if (!process.env.X) throw new Error('x'); flue.useModel('a/b'); }",
    };
    const analysis = run({ 'src/agent.ts': text, ...more });
    expect(analysis.diagnostics).toEqual([]);
    expect(analysis.agents[0]!.hooks.map(({ hook, via }) => [hook, via])).toEqual([
      ['useModel', ['useDesk', 'useBase']],
    ]);
  });

  it('hooks passed on as values are unknown (AN-10)', () => {
    const text = `'use agent';\nimport { useModel, useTool } from '@flue/runtime';\nimport { setUp } from 'toolkit';
export function Desk() { setUp({ useModel, useTool }); }`;
    expect(found(text)).toEqual([]);
    const local = `'use agent';\nimport { useModel, useTool } from '@flue/runtime';\nimport { setUp } from './set-up.ts';
export function Desk() { setUp({ useModel, useTool }); }`;
    expect(
      found(local, {
        'src/set-up.ts': "export function setUp(hooks: any) { hooks.useModel('a/b'); hooks.useTool(hooks); }",
      }),
    ).toEqual([]);
  });

  it('a helper need not be named like a hook (AN-11)', () => {
    expect(found(agent('return tone();', 'export function tone() { return useDelivery().kind; }'))).toEqual(
      [],
    );
  });

  it.each([
    ['if (id) useTool(lookup);'],
    ['id && useTool(lookup);'],
    ['id ? useTool(lookup) : useInstruction("none");'],
    ['switch (id) { case "a": useTool(lookup); break; default: useInstruction("x"); }'],
    [
      "const s = useDelivery();\n  if (s.kind === 'user') { useTool(lookup); return 'a'; }\n  useInstruction('b'); return 'c';",
    ],
    ["if (id.startsWith('ui-')) useDataWriter('card');"],
    [
      "const [on, setOn] = usePersistentState('on', false);\n  if (on) useSandbox(make());\n  useAgentStart(() => setOn(true));",
    ],
  ])('conditional hooks are legal: %s (AN-12)', (body) => {
    expect(found(agent(body, 'declare function make(): any;'))).toEqual([]);
  });

  it.each([
    ['for (const tool of many) { if (!tool) continue; useTool(tool); }'],
    ['for (const tool of [...many, ...others()]) useTool(tool);'],
    ["for (const name of (process.env.NAMES ?? '').split(',')) useTool(makeTool(name, 't'));"],
    ['many.forEach((tool) => useTool(tool));'],
    ['useTool(many[0]); useTool(many[1]);'],
    ['for (const tool of server.tools) useTool(tool);'],
  ])('hooks in loops are legal: %s (AN-13)', (body) => {
    const more =
      "import { connectMcpServer } from '@flue/runtime';\nconst server = await connectMcpServer('x', { url: 'https://x.dev/mcp' });\nfunction others(): any[] { return globalThis.list; }";
    expect(found(agent(body, more))).toEqual([]);
  });

  it('every kind of tool argument is accepted (AN-14)', () => {
    const body = `const local = defineTool({ name: 'local', description: 'd', run() {} });
  useTool(local); useTool(lookup); useTool(makeTool('made', id)); useTool(guard(makeTool('guarded', id)));
  useTool(id ? makeTool('left', id) : makeTool('right', id)); useTool({ ...lookup, name: 'spread' });`;
    expect(found(agent(body, 'function guard<T>(tool: T): T { return { ...tool, run() {} }; }'))).toEqual([]);
  });

  it('tool names from constants, members, templates and conditions are resolved or dynamic (AN-15)', () => {
    const body = `useTool({ name: NAMES.first, description: 'd', run() {} });
  useTool({ name: \`\${PREFIX}_second\`, description: 'd', run() {} });
  useTool({ name: id ? 'third' : 'fourth', description: 'd', run() {} });
  useTool({ name: \`\${id}_x\`, description: 'd', run() {} });`;
    const analysis = run({
      'src/agent.ts': agent(body, "const NAMES = { first: 'first' } as const; const PREFIX = 'my';"),
    });
    expect(analysis.diagnostics).toEqual([]);
    const names = analysis.agents[0]!.tools.map(({ name }) => (name.static ? name.value : name.reason));
    expect(names).toEqual(['first', 'my_second', 'not-literal', 'not-literal']);
  });

  it('schemas in every usual form are accepted (AN-16, AN-17)', () => {
    const body = `useTool({ name: 'a', description: 'd', input: Named, run() {} });
  useTool({ name: 'b', description: 'd', input: object({ ...fields, n: v.pipe(v.string(), v.trim(), v.check((s) => s !== '')) }), run() {} });
  useTool({ name: 'c', description: 'd', input: build(), run() {} });`;
    const more = `import { object } from 'valibot';\nconst fields = { q: v.string() };\nconst Named = v.object({ at: v.pipe(v.string(), v.transform((s) => new Date(s))), c: v.custom(() => true) });
function build(): any { return globalThis.schema; }`;
    expect(found(agent(body, more))).toEqual([]);
  });

  it('a body may throw or return nothing (AN-18)', () => {
    const text = `'use agent';\n${IMPORTS}export function Desk() {\n  const data = useInitialData();\n  if (!data) throw new Error('no data');\n  if (!process.env.KEY) fail();\n  useModel('a/b');\n}\nfunction fail(): never { throw new Error('no key'); }`;
    expect(found(text)).toEqual([]);
  });

  it('module-scope effects are analysed without being run (AN-19)', () => {
    const more = `import { registerProvider, observe, connectMcpServer } from '@flue/runtime';\nimport './side-effect.ts';
registerProvider('acme', { api: 'openai-completions', baseUrl: 'https://a.dev' });\nobserve(() => {});
const cache = new Map();\nexport const server = await connectMcpServer('x', { url: 'https://x.dev/mcp' });`;
    expect(found(agent('', more), { 'src/side-effect.ts': 'throw new Error("never run");' })).toEqual([]);
  });

  it('imports of assets, platforms and packages are no finding (AN-20)', () => {
    const more = `import skill from './skills/a/SKILL.md';\nimport text from './note.md?raw';\nimport page from './page.html?raw';
import { DurableObject } from 'cloudflare:workers';\nimport fs from 'node:fs';\nimport { serve } from 'bun:ffi';\nimport type { X } from '@flue/runtime';\nimport lib from './lib';`;
    const files = {
      'src/skills/a/SKILL.md': 'x',
      'src/note.md': 'x',
      'src/page.html': 'x',
      'src/lib.ts': 'export default 1;',
    };
    expect(found(agent('useSkill(skill);', more), files)).toEqual([]);
  });

  it('import cycles end (AN-21)', () => {
    const channel =
      "import { Desk } from './agent.ts';\nimport { dispatch } from '@flue/runtime';\nexport const send = () => dispatch(Desk, { id: '1', message: 'x' });\nexport * from './agent.ts';";
    expect(
      found(
        agent(
          "useTool({ name: 'send', description: 'd', run: () => send() });",
          "import { send } from './channel.ts';\nexport * from './channel.ts';",
        ),
        { 'src/channel.ts': channel },
      ),
    ).toEqual([]);
  });

  it('identity is unique per analysed set, not across repositories (AN-22)', () => {
    expect(found(agent(''), {}, 'apps/one/src/agent.ts')).toEqual(
      found(agent(''), {}, 'apps/two/src/agent.ts'),
    );
  });

  it('the same source is accepted without a bundler and as JavaScript (AN-23)', () => {
    expect(
      found(
        "'use agent';\nimport { useModel } from '@flue/runtime';\nexport function Desk(props) { useModel('a/b'); return props.id; }",
        {},
        'src/a.mjs',
      ),
    ).toEqual([]);
  });

  it('routers may be mounted anywhere, or never (AN-24)', () => {
    const app = `import { Hono } from 'hono';\nimport { createAgentRouter } from '@flue/runtime/routing';\nimport { Desk } from './agent.ts';
export function build() { const app = new Hono(); app.use('/a/*', async (_, next) => next()); app.route('/v1/a', createAgentRouter(Desk)); app.route('/a', createAgentRouter(Desk)); return app; }`;
    expect(found(agent(''), { 'src/server.ts': app })).toEqual([]);
    expect(found(agent(''))).toEqual([]);
  });

  it('leftovers of an older contract are left alone (AN-25)', () => {
    expect(found(agent('', "export const route = '/desk';\nexport const description = 'A desk.';"))).toEqual(
      [],
    );
  });

  it('loose code and any language are accepted (AN-26)', () => {
    const text = `'use agent'\n\timport { useModel, usePersistentState } from '@flue/runtime'\n\tconst { MODEL: modèle = 'a/b' } = process.env\n\texport function Ärztin(props: any) { return 0 as any }\n`;
    expect(
      found(
        text
          .replace('Ärztin', 'Desk')
          .replace(
            'return 0 as any',
            "useModel(modèle as unknown as string); const [x] = usePersistentState<string[]>('zustand', [] as any); return `Hilf ${(x as any).länge}`",
          ),
      ),
    ).toEqual([]);
  });
});
