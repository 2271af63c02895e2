import { describe, expect, it } from 'vitest';
import { openCompiler } from '../compile.ts';
import { loadProject } from '../config/load-project.ts';
import { addFiles, temporaryProject } from '../testing/temporary-project.fixture.ts';

const AGENT = `'use agent';
import { useDataWriter, useModel, useTool } from '@flue/runtime';
import * as v from 'valibot';
import { useNotes } from './use-notes.ts';

export function Desk() {
  useModel('offline/demo');
  const write = useDataWriter('progress', { schema: v.object({ done: v.number(), at: v.optional(v.string(), '') }) });
  useNotes();
  useTool({ name: 'z_last', description: 'd', input: v.object({ a: v.string() }), run: () => 1 });
}
`;
const NOTES = `import { useDataWriter, useTool } from '@flue/runtime';
export function useNotes() {
  useDataWriter('notes');
  useTool({ name: 'a_first', description: 'd', run: () => 1 });
}
`;

async function generate(root: string): Promise<Record<'client' | 'routes' | 'env', string>> {
  const { project } = await loadProject({ root });
  const outputs = (await openCompiler(project)).compile().outputs();
  const text = (name: string) => outputs.get(`.flue/${name}`) ?? '';
  return { client: text('client.ts'), routes: text('routes.ts'), env: text('env.d.ts') };
}

const project = (files: Record<string, string> = {}) =>
  temporaryProject({ 'src/desk.ts': AGENT, 'src/use-notes.ts': NOTES, ...files });

/** The lines of one field of the one contract, without their indentation. */
const field = (client: string, name: string) =>
  new RegExp(`^  ${name}: ([^]*?);\\n(?=  \\w|})`, 'm').exec(client)?.[1]?.replace(/\s+/g, ' ');

describe('the generated client', () => {
  it('types data parts by the output of their schemas, through custom hooks too (TCLI-08)', async () => {
    const { client } = await generate(project());
    expect(field(client, 'data')).toBe('{ notes: unknown; progress: { done: number; at: string; }; }');
  });

  it('lists tools by name, whatever order they stand in (TCLI-03, TCLI-16)', async () => {
    const { client } = await generate(project());
    expect(field(client, 'tools')).toBe(
      '{ a_first: { input: unknown; output: number; }; z_last: { input: { a: string; }; output: number; }; }',
    );
    expect(field(client, 'openTools')).toBe('never');
  });

  it('types what a tool answers by its schema, else by what run gives, as JSON (TCLI-09)', async () => {
    const bodies: readonly (readonly [body: string, printed: string])[] = [
      ['run: () => {}', 'null'],
      ['run: async () => undefined', 'null'],
      [
        "run: async () => ({ id: 'x', at: new Date(), tags: ['a'] as readonly string[] })",
        '{ id: string; at: string; tags: string[]; }',
      ],
      [
        "run: () => (Math.random() > 1 ? { ok: true as const } : { ok: false as const, why: 'no' })",
        '{ ok: false; why: string; } | { ok: true; why?: never; }',
      ],
      ['run: () => shipped', '{ status: "open" | "shipped"; weight?: number; note: string | null; }'],
      ['run: (): [number, ...string[]] => [1]', '[number, ...string[]]'],
      ['run: (): Record<string, { n: number }> => ({})', '{ [key: string]: { n: number; } }'],
      ['run: (): any => 1', 'unknown'],
      ['run: () => new Secret()', 'unknown'],
      [
        'output: v.object({ held: v.boolean(), at: v.date() }), run: () => ({ held: true, at: new Date() })',
        '{ held: boolean; at: string; }',
      ],
      ['...lookup', '{ found: string[]; }'],
      ['run: (): Tree => tree', 'DeskT11OutputPart1'],
    ];
    const tools = bodies.map(([body], n) => `  useTool({ ${body}, name: 't${n}', description: 'd' });`);
    const source = `'use agent';
import { defineTool, useModel, useTool } from '@flue/runtime';
import * as v from 'valibot';
class Secret { private readonly key = 'x'; }
interface Tree { name: string; children?: Tree[] }
declare const tree: Tree;
declare const shipped: { status: 'open' | 'shipped'; weight: number | undefined; note: string | null };
const lookup = defineTool({ name: 'lookup', description: 'd', run: () => ({ found: ['x'] }) });
export function Desk() {
  useModel('offline/demo');
${tools.join('\n')}
}
`;
    const { client } = await generate(temporaryProject({ 'src/desk.ts': source }));
    const output = (n: number) =>
      new RegExp(`^    t${n}: \\{[^]*?^      output: ([^]*?);\\n    \\};`, 'm')
        .exec(client)?.[1]
        ?.replace(/\s+/g, ' ');
    expect(bodies.map((_, n) => output(n))).toEqual(bodies.map(([, printed]) => printed));
    expect(client).toContain(
      'export type DeskT11OutputPart1 = {\n        name: string;\n        children?: DeskT11OutputPart1[];\n      };',
    );
  });

  it('leaves the set of tools open where a name is known at run time only (TCLI-10)', async () => {
    const open = AGENT.replace("name: 'z_last'", 'name: process.env.NAME!');
    const { client } = await generate(project({ 'src/desk.ts': open }));
    expect(field(client, 'openTools')).toBe('string & {}');
  });

  it('names the parts of a schema that refers to itself, and says unknown where it depends on code (TCLI-13)', async () => {
    const schema = (text: string) => `${AGENT}Desk.initialData = ${text};\n`;
    const tree = `const Tree: v.GenericSchema = v.object({ name: v.string(), children: v.array(v.lazy(() => Tree)) });\n`;
    const recursive = await generate(
      project({ 'src/desk.ts': schema('Tree').replace('export', `${tree}export`) }),
    );
    expect(field(recursive.client, 'initialData')).toBe(
      '{ name: string; children: DeskInitialDataPart1[]; }',
    );
    expect(recursive.client).toContain(
      'export type DeskInitialDataPart1 = {\n  name: string;\n  children: DeskInitialDataPart1[];\n};',
    );
    const dynamic = await generate(
      project({ 'src/desk.ts': schema('v.object({ a: v.literal(process.env.A!) })') }),
    );
    expect(field(dynamic.client, 'initialData')).toBe('unknown');
    expect(field(dynamic.client, 'hasSchema')).toBe('true');
  });

  it('says where the data that creates an instance may be left out (TCLI-06)', async () => {
    const required = `${AGENT}Desk.initialData = v.object({ a: v.string() });\n`;
    const optional = `${AGENT}Desk.initialData = v.optional(v.object({ a: v.string() }));\n`;
    const of = async (source: string) =>
      field((await generate(project({ 'src/desk.ts': source }))).client, 'initialData');
    expect(await of(required)).toBe('{ a: string; }');
    expect(await of(optional)).toBe('{ a: string; } | undefined');
  });

  it('imports the entry of the client and nothing else (TCLI-02)', async () => {
    const { client } = await generate(project());
    expect(client.match(/\b(?:import|from|require)\b.*/g)).toEqual([
      "import * as flue from '@flue/runtime/client';",
    ]);
  });

  it('is left alone, as the routes are, by an edit that does not change what it prints (TCLI-16, REG-06)', async () => {
    const root = project();
    const before = await generate(root);
    addFiles(root, {
      'src/desk.ts': AGENT.replace("name: 'z_last', description: 'd'", "name: 'z_last', description: 'e'"),
    });
    expect(await generate(root)).toEqual(before);
    addFiles(root, { 'src/desk.ts': AGENT.replace('a: v.string()', 'a: v.number()') });
    const after = await generate(root);
    expect(after.client).not.toBe(before.client);
    expect(hash(after.client)).not.toBe(hash(before.client));
    expect(after.routes).toBe(before.routes);
  });

  it('is named after exports, and after identities where two share one name (TCLI-04)', async () => {
    const { client, env } = await generate(
      project({
        'src/other.ts': `${AGENT.replace('./use-notes.ts', './use-notes.ts')}Desk.agentName = 'other-desk';\n`,
      }),
    );
    expect(client).toContain('readonly Desk: flue.AgentAccessor<DeskContract>');
    expect(client).toContain('readonly OtherDesk: flue.AgentAccessor<OtherDeskContract>');
    expect(env).toContain('identity: "Desk" | "other-desk";\n  accessor: "Desk" | "OtherDesk";');
  });
});

describe('generated routes', () => {
  it('mount nothing and import the agents by relative paths with an extension (TRTE-01, EMIT-06, EMIT-07)', async () => {
    const { routes } = await generate(project());
    expect(routes).toContain('import * as m0 from "../src/desk.ts";');
    const emitted = await generate(project({ 'tsconfig.json': '{}' }));
    expect(emitted.routes).toContain('import * as m0 from "../src/desk.js";');
    expect(emitted.routes).toContain('from "./agents.js";');
  });
});

function hash(client: string): string | undefined {
  return /Contract sha256:([0-9a-f]{64})/.exec(client)?.[1];
}
