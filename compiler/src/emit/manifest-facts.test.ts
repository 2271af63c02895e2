import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCompiler } from '../compile.ts';
import { loadProject } from '../config/load-project.ts';
import { addFiles, temporaryProject } from '../testing/temporary-project.fixture.ts';

type Files = Readonly<Record<string, string | Uint8Array>>;

async function manifestAt(root: string) {
  const { project } = await loadProject({ root });
  return (await openCompiler(project)).compile().manifest();
}

const manifestOf = (files: Files) => manifestAt(temporaryProject(files));

const HEAD = `'use agent';
import * as v from 'valibot';
import { connectMcpServer, defineSubagent, defineTool, useAgentStart, useDataWriter, useModel, usePersistentState, useSkill, useSubagent, useTool } from '@flue/runtime';
`;

/** The entry of one agent with this body. */
async function agentWith(body: string, around = '', files: Files = {}) {
  const source = `${HEAD}${around}\nexport function Agent(props: { id: string }) {\n  useModel('offline/demo');\n  ${body}\n}\n`;
  const { agents } = await manifestOf({ 'src/a.ts': source, ...files });
  return agents[0]!;
}

const dynamic = (reason: string) => expect.objectContaining({ dynamic: true, reason });

describe('a hook use', () => {
  it('says how sure it is, what decides, and through which custom hooks it is reached (MAN-03)', async () => {
    const { hooks } = await agentWith(
      `const [on, set] = usePersistentState('on', false);
  useOuter(props.id === 'x');
  if (on) useDataWriter('late');
  for (const name of ['a', 'b']) useDataWriter(name);
  useAgentStart(() => set(true));`,
      `function useInner(part: boolean) { if (part) useDataWriter('card'); }
function useOuter(part: boolean) { useInner(part); }`,
    );
    const shown = hooks.map(({ hook, name, presence, stability, via }) => [
      hook,
      name,
      presence,
      stability,
      via,
    ]);
    expect(shown).toEqual([
      ['useDataWriter', 'card', 'sometimes', 'fixed', ['useOuter', 'useInner']],
      ['useModel', undefined, 'always', undefined, []],
      ['usePersistentState', 'on', 'always', undefined, []],
      ['useDataWriter', 'late', 'sometimes', 'varying', []],
      ['useDataWriter', 'a', 'repeated', undefined, []],
      ['useAgentStart', undefined, 'always', undefined, []],
    ]);
    expect(hooks[1]).toMatchObject({
      module: 'src/a.ts',
      span: { line: 7, column: 3, endLine: 7, endColumn: 27 },
    });
  });
});

describe('a tool', () => {
  it('has its flags, its schemas and the steps that it takes (MAN-04)', async () => {
    const { tools } = await agentWith(
      'useTool(pay);',
      `export const pay = defineTool({ name: 'pay', description: 'Pays.', harness: true, durable: true, parallel: false,
  input: v.object({ n: v.number() }),
  async run({ step, data }) {
    await step.do('reserve', () => 1);
    await step.do(\`pay:\${data.n}\`, () => 2);
  } });`,
    );
    expect(tools).toEqual([
      {
        name: 'pay',
        description: 'Pays.',
        harness: true,
        durable: true,
        parallel: false,
        input: { schema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } },
        output: null,
        steps: ['reserve', 'pay:*'],
        presence: 'always',
        export: 'pay',
        module: 'src/a.ts',
        span: { line: 4, column: 31, endLine: 9, endColumn: 6 },
        via: [],
      },
    ]);
  });

  it('of which only a run knows is dynamic, and so are its flags (MAN-04, EVALS-03)', async () => {
    const { tools } = await agentWith(
      'useTool(made()); if (props.id) useTool({ name: props.id, description: "d", run() {} });',
      "import { made } from 'kit';",
    );
    expect(tools).toMatchObject([
      { name: dynamic('opaque-call'), harness: null, durable: null, parallel: null, input: null },
      { name: dynamic('parameter'), harness: false, durable: false, parallel: true, stability: 'fixed' },
    ]);
  });

  it('of a connection is one entry with the name of its server (MAN-04)', async () => {
    const { tools } = await agentWith(
      'for (const tool of linear.tools) useTool(tool);',
      "const linear = await connectMcpServer('linear', { url: 'https://mcp.linear.app/mcp' });",
    );
    expect(tools).toEqual([
      {
        mcp: 'linear',
        presence: 'repeated',
        module: 'src/a.ts',
        span: expect.anything(),
        via: [],
      },
    ]);
  });
});

const SKILL = '---\nname: refunds\ndescription: How to pay back.\n---\nAsk first.\n';
const WITH_SKILL = "import refunds from './skills/refunds/SKILL.md';";
const skillFiles = { 'src/skills/refunds/SKILL.md': SKILL, 'src/skills/refunds/ref/limits.md': '# Limits\n' };

describe('a skill', () => {
  it('is mounted as a package by its id, or inline (MAN-05)', async () => {
    const { skills } = await agentWith(
      "useSkill(refunds); if (props.id) useSkill({ name: 'tone', description: 'd', instructions: 'x' });",
      WITH_SKILL,
      skillFiles,
    );
    expect(skills).toEqual([
      {
        name: 'refunds',
        kind: 'package',
        skill: expect.stringMatching(/^skill:refunds:[0-9a-f]{16}$/),
        presence: 'always',
        module: 'src/a.ts',
        span: expect.anything(),
        via: [],
      },
      {
        name: 'tone',
        kind: 'inline',
        presence: 'sometimes',
        stability: 'fixed',
        module: 'src/a.ts',
        span: expect.anything(),
        via: [],
      },
    ]);
  });

  const source = `${HEAD}${WITH_SKILL}\nexport function Agent() { useModel('offline/demo'); useSkill(refunds); }\n`;

  it('is listed with its files when an agent imports it (MAN-01)', async () => {
    const { agents, skills } = await manifestOf({
      'src/a.ts': source,
      ...skillFiles,
      'src/skills/other/SKILL.md': SKILL.replace('refunds', 'other'),
      'src/skills/refunds/.git/HEAD': 'x',
    });
    expect(skills).toEqual([
      {
        id: agents[0]?.skills[0]?.skill,
        name: 'refunds',
        description: 'How to pay back.',
        module: 'src/skills/refunds/SKILL.md',
        files: [
          { path: 'SKILL.md', hash: expect.stringMatching(/^sha256:/) },
          { path: 'ref/limits.md', hash: expect.stringMatching(/^sha256:/) },
        ],
      },
    ]);
  });

  it('has the id of its content, whatever its lines end with (SKILL-04, DET-05)', async () => {
    const binary = { 'src/skills/refunds/logo.png': new Uint8Array([0, 13, 10, 255]) };
    const idOf = async (files: Files) =>
      (await manifestOf({ 'src/a.ts': source, ...skillFiles, ...binary, ...files })).skills[0]?.id;
    const id = await idOf({});
    expect(id).toMatch(/^skill:refunds:/);
    const crlf = Object.fromEntries(
      Object.entries(skillFiles).map(([path, text]) => [path, text.replaceAll('\n', '\r\n')]),
    );
    expect(await idOf(crlf)).toBe(id);
    expect(await idOf({ 'src/skills/refunds/ref/limits.md': '# Other limits\n' })).not.toBe(id);
    expect(await idOf({ 'src/skills/refunds/more.md': '' })).not.toBe(id);
    expect(await idOf({ 'src/skills/refunds/logo.png': new Uint8Array([0, 10, 255]) })).not.toBe(id);
  });

  it('decides over the closure of its agents with every file (DET-06)', async () => {
    const root = temporaryProject({ 'src/a.ts': source, ...skillFiles });
    const closure = async () => (await manifestAt(root)).agents[0]?.closureHash;
    const before = await closure();
    addFiles(root, { 'src/skills/refunds/ref/limits.md': '# Other limits\n' });
    const changed = await closure();
    expect(changed).not.toBe(before);
    rmSync(join(root, 'src/skills/refunds/ref'), { recursive: true });
    expect(await closure()).not.toBe(changed);
  });

  it('that cannot be packaged has no id and is not listed (FLUE3202)', async () => {
    const files = { 'src/a.ts': source, 'src/skills/refunds/SKILL.md': '# Refunds' };
    const { agents, skills } = await manifestOf(files);
    expect(skills).toEqual([]);
    expect(agents[0]?.skills).toMatchObject([{ kind: 'package', name: dynamic('not-literal') }]);
    expect(agents[0]?.skills[0]).not.toHaveProperty('skill');
  });
});

describe('a delegate', () => {
  it('is described with what it mounts itself (MAN-06)', async () => {
    const { subagents } = await agentWith(
      "useSubagent({ name: 'writer', description: 'Writes.', model: 'offline/demo', thinkingLevel: 'low', agent: Writer });",
      `${WITH_SKILL}
export function Writer() { useTool({ name: 'spell', description: 'd', run() {} }); useSkill(refunds); return 'x'; }`,
      skillFiles,
    );
    expect(subagents).toMatchObject([
      {
        name: 'writer',
        description: 'Writes.',
        model: 'offline/demo',
        thinkingLevel: 'low',
        presence: 'always',
        agent: { module: 'src/a.ts', export: 'Writer', function: 'Writer' },
        tools: [{ name: 'spell' }],
        skills: [{ name: 'refunds', kind: 'package' }],
        subagents: [],
      },
    ]);
  });

  it('whose function is not in sight is dynamic (MAN-06)', async () => {
    const { subagents } = await agentWith(
      "useSubagent({ name: 's', description: 'd', agent: far });",
      "import { far } from 'kit';",
    );
    expect(subagents).toMatchObject([
      { model: null, thinkingLevel: null, agent: dynamic('opaque-call'), tools: [], subagents: [] },
    ]);
  });

  it('is followed to depth 4 and never into itself (MAN-06)', async () => {
    const chain = [1, 2, 3, 4, 5, 6].map(
      (n) =>
        `const s${n} = defineSubagent({ name: 's${n}', description: 'd', agent() { useTool({ name: 't${n}', description: 'd', run() {} });${n < 6 ? ` useSubagent(s${n + 1});` : ''} } });`,
    );
    const { subagents } = await agentWith('useSubagent(s1);', chain.join('\n'));
    type Nested = (typeof subagents)[number];
    const names: unknown[] = [];
    for (let level: readonly Nested[] = subagents; level[0]; level = level[0].subagents)
      names.push([level[0].name, level[0].tools.length]);
    expect(names).toEqual([
      ['s1', 1],
      ['s2', 1],
      ['s3', 1],
      ['s4', 1],
      ['s5', 0],
    ]);

    const own = await agentWith(
      "useSubagent({ name: 'own', description: 'd', agent: Loop });",
      "function Loop() { useTool({ name: 't', description: 'd', run() {} }); useSubagent({ name: 'again', description: 'd', agent: Loop }); }",
    );
    expect(own.subagents).toMatchObject([
      { name: 'own', tools: [{ name: 't' }], subagents: [{ name: 'again', tools: [], subagents: [] }] },
    ]);
  });
});

describe('states and data parts', () => {
  it('a state has its default, as far as it is written out (MAN-07)', async () => {
    const { states } = await agentWith(
      `usePersistentState('list', ['a', { b: null }]);
  if (props.id) usePersistentState(props.id, load());`,
      "import { load } from 'kit';",
    );
    expect(states).toMatchObject([
      {
        name: 'list',
        default: { value: ['a', { b: null }] },
        presence: 'always',
        via: [],
        span: { line: 7 },
      },
      {
        name: dynamic('parameter'),
        default: dynamic('opaque-call'),
        presence: 'sometimes',
        stability: 'fixed',
      },
    ]);
  });

  it('a data part has its schema where one is given (MAN-08)', async () => {
    const { dataParts } = await agentWith(
      "useDataWriter('card', { schema: v.object({ title: v.string() }) }); useDataWriter('free'); useDataWriter(props.id, { schema: far });",
      "import { far } from 'kit';",
    );
    expect(dataParts).toMatchObject([
      {
        name: 'card',
        presence: 'always',
        schema: {
          schema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
        },
        via: [],
        span: { line: 7, column: 3 },
      },
      { name: 'free', schema: null },
      { name: dynamic('parameter'), schema: dynamic('unresolved-import') },
    ]);
  });
});

describe('MCP servers', () => {
  it('are listed with their address and the agents that mount their tools, delegates included (MAN-01)', async () => {
    const { mcpServers } = await manifestOf({
      'src/servers.ts': `import { connectMcpServer } from '@flue/runtime';
export const linear = await connectMcpServer('linear', { url: 'https://mcp.linear.app/mcp' });
export const docs = await connectMcpServer(process.env.DOCS ?? 'docs', { url: new URL('https://docs.dev/mcp') });
export const unused = await connectMcpServer('unused', { url: process.env.URL! });
`,
      'src/a.ts': `${HEAD}import { docs, linear } from './servers.ts';
export function First() { useModel('offline/demo'); for (const tool of linear.tools) useTool(tool); }
export function Second() { useModel('offline/demo'); useTool(docs.tools[0]!);
  useSubagent({ name: 's', description: 'd', agent() { linear.tools.forEach((tool) => useTool(tool)); } }); }
`,
    });
    expect(mcpServers).toMatchObject([
      {
        name: 'linear',
        url: 'https://mcp.linear.app/mcp',
        module: 'src/servers.ts',
        span: { line: 2 },
        agents: ['First', 'Second'],
      },
      { name: { dynamic: true }, url: 'https://docs.dev/mcp', agents: ['Second'] },
      { name: 'unused', url: { dynamic: true }, agents: [] },
    ]);
  });

  it('never with a credential, static or not (MAN-11, MAN-01)', async () => {
    const manifest = await manifestOf({
      'src/a.ts': `${HEAD}const one = await connectMcpServer('one', { url: 'https://user:geheim@x.dev/mcp?key=geheim#geheim', headers: { Authorization: 'Bearer geheim' } });
export function Agent() { useModel('offline/demo'); for (const tool of one.tools) useTool(tool); }
`,
    });
    expect(manifest.mcpServers).toMatchObject([{ name: 'one', url: 'https://x.dev/mcp' }]);
    expect(JSON.stringify(manifest)).not.toContain('geheim');
  });
});
