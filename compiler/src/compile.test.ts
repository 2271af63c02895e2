import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, manifestHash } from '@flue/runtime/internal';
import { describe, expect, it } from 'vitest';
import { analyse } from './analysis/analyse.ts';
import { type Compiler, openCompiler } from './compile.ts';
import { loadProject } from './config/load-project.ts';
import { sha256 } from './emit/hashes.ts';
import { emitManifest } from './emit/manifest.ts';
import { loadSchemaLibrary } from './emit/schema-library.ts';
import { createSchemaReader } from './emit/schema-reader.ts';
import { openTrace } from './project/disk.ts';
import { openDiskHost } from './project/disk-host.ts';
import { AGENT, BROKEN } from './testing/sources.fixture.ts';
import { addFiles, temporaryProject } from './testing/temporary-project.fixture.ts';

async function open(root: string): Promise<Compiler> {
  const { project } = await loadProject({ root });
  return openCompiler(project);
}

describe('compiling again', () => {
  it('sees edited, added and removed files (EMIT-08)', async () => {
    const root = temporaryProject({ 'src/a.ts': AGENT, 'src/name.ts': 'export const name = "first";' });
    const tool = `import { useTool } from '@flue/runtime';\nimport { name } from './name.ts';
      export function useNamed() { useTool({ name, description: 'd', run: () => 1 }); }\n`;
    const agent = AGENT.replace("('offline/demo');", "('offline/demo');\n  useNamed();");
    addFiles(root, {
      'src/use-named.ts': tool,
      'src/a.ts': `${agent}import { useNamed } from './use-named.ts';\n`,
    });
    const compiler = await open(root);
    const toolNames = () =>
      compiler
        .compile()
        .manifest()
        .agents.flatMap(({ tools }) => tools);
    expect(toolNames()).toMatchObject([{ name: 'first' }]);

    addFiles(root, { 'src/name.ts': 'export const name = "second";' });
    compiler.changed(['src/name.ts']);
    expect(toolNames()).toMatchObject([{ name: 'second' }]);

    addFiles(root, { 'src/b.ts': AGENT.replace('Orders', 'Other') });
    compiler.changed('everything');
    expect(compiler.compile().agents.map(({ identity }) => identity)).toEqual(['Orders', 'Other']);
    rmSync(join(root, 'src/b.ts'));
    compiler.changed('everything');
    expect(compiler.compile().agents.map(({ identity }) => identity)).toEqual(['Orders']);
  });

  it('gives the bytes of a fresh compilation (DET-01)', async () => {
    const root = temporaryProject({ 'src/a.ts': AGENT });
    const compiler = await open(root);
    compiler.compile();
    addFiles(root, { 'src/a.ts': AGENT.replace('Orders', 'Renamed') });
    const again = [...compiler.compile().outputs()];
    expect(again).toEqual([...(await open(root)).compile().outputs()]);
  });

  it('reads no source but the edited ones when it is told that nothing else happened (CACHE-03, CHK-09)', async () => {
    const other = AGENT.replace('Orders', 'Other');
    const root = temporaryProject({ 'src/a.ts': AGENT, 'src/b.ts': other, 'src/plain.ts': 'export {};' });
    const tracer = openTrace();
    const { project } = await loadProject({ root });
    const compiler = await openCompiler(project, { tracer });
    compiler.compile();
    tracer.forgetAll();
    addFiles(root, { 'src/a.ts': AGENT.replace('Orders', 'Renamed') });
    compiler.edited(['src/a.ts']);
    const { agents, parsed } = compiler.compile();
    expect(agents.map(({ identity }) => identity)).toEqual(['Other', 'Renamed']);
    expect(parsed).toEqual(['src/a.ts']);
    const read = [...tracer.probes.values()].filter(([kind]) => kind === 'bytes').map(([, path]) => path);
    expect(read).toEqual([join(root, 'src/a.ts')]);

    addFiles(root, { 'src/plain.ts': other.replace('Other', 'Third'), 'src/b.ts': 'export {};' });
    compiler.edited(['src/plain.ts', 'src/b.ts']);
    expect(compiler.compile().agents.map(({ identity }) => identity)).toEqual(['Renamed', 'Third']);
  });

  it('finds a file broken and mended', async () => {
    const root = temporaryProject({ 'src/a.ts': AGENT });
    const compiler = await open(root);
    addFiles(root, { 'src/a.ts': BROKEN });
    expect(compiler.compile().blocking.map(({ code }) => code)).toEqual(['FLUE5001']);
    addFiles(root, { 'src/a.ts': AGENT });
    expect(compiler.compile().blocking).toEqual([]);
  });
});

describe('a compilation', () => {
  it('gives the same manifest whatever order files are found in (DET-01, DET-03)', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `Agent${index}`);
    const files = names.map(
      (name) => [`src/${name.toLowerCase()}.ts`, AGENT.replace('Orders', name)] as const,
    );
    const root = temporaryProject(Object.fromEntries(files));
    const library = await loadSchemaLibrary(root);
    const manifestOf = async (paths: readonly string[]) => {
      const host = openDiskHost(root);
      const manifest = emitManifest(analyse(paths, host), {
        target: 'node',
        sourceRoot: 'src',
        versions: {},
        skills: new Map(),
        moduleName: (path) => ({ path }),
        schemas: createSchemaReader(host, library),
        text: (path) => host.read(path)?.text,
      });
      return canonicalJson(manifest);
    };
    const paths = files.map(([path]) => path);
    const expected = await manifestOf(paths);
    for (const step of [5, 7, 11]) {
      expect(await manifestOf(paths.map((_, index) => paths[(index * step) % paths.length]!))).toBe(expected);
    }
  });

  it('has a manifest whose hash is that of its content, repeated by the registration module (MAN-01, REG-01)', async () => {
    const compilation = (await open(temporaryProject({ 'src/a.ts': AGENT }))).compile();
    const manifest = compilation.manifest();
    expect(manifest.hash).toBe(manifestHash(manifest, sha256));
    expect(compilation.agentsModule((module) => `virtual:${module}`)).toContain('from "virtual:src/a.ts"');
    expect(compilation.agentsModule()).toContain(`manifestHash = "${manifest.hash}"`);
  });

  it('holds nothing of the machine (DET-04)', async () => {
    const root = temporaryProject({ 'src/a.ts': AGENT });
    const text = [...(await open(root)).compile().outputs().values()].join('\n');
    expect(text).not.toContain(root);
    expect(text).not.toMatch(/\d{4}-\d\d-\d\dT/);
  });

  it('changes the closure of an agent with each module that it reaches, and no other (DET-06)', async () => {
    const root = temporaryProject({
      'src/a.ts': `${AGENT}export { used } from './lib/used.ts';\n`,
      'src/b.ts': AGENT.replace('Orders', 'Other'),
      'src/lib/used.ts': 'export const used = 1;',
    });
    const hashes = async () =>
      (await open(root))
        .compile()
        .manifest()
        .agents.map(({ closureHash }) => closureHash);
    const [orders, other] = await hashes();
    addFiles(root, { 'src/lib/used.ts': 'export const used = 2;' });
    const [changed, same] = await hashes();
    expect(changed).not.toBe(orders);
    expect(same).toBe(other);
  });

  it('derives durable names from the identity alone, so a moved file changes none (EMIT-09, EMIT-12)', async () => {
    const durableOf = async (files: Record<string, string>) => {
      const [agent] = (await open(temporaryProject(files))).compile().manifest().agents;
      return { identity: agent?.identity, ...agent?.durable };
    };
    const before = await durableOf({ 'src/a.ts': AGENT.replace('Orders', 'IssueTriage') });
    expect(before).toEqual({
      identity: 'IssueTriage',
      className: 'FlueIssueTriageAgent',
      bindingName: 'FLUE_ISSUE_TRIAGE_AGENT',
    });
    expect(await durableOf({ 'src/deep/other-name.mts': AGENT.replace('Orders', 'IssueTriage') })).toEqual(
      before,
    );
    const kebab = `${AGENT}Orders.agentName = 'issue-triage';\n`;
    expect(await durableOf({ 'src/a.ts': kebab })).toEqual({ ...before, identity: 'issue-triage' });
  });

  it('takes no value from the environment or a .env file (MAN-11)', async () => {
    process.env.FLUE_TEST_SECRET = 'value-of-the-environment';
    try {
      const agent = AGENT.replace("'offline/demo'", "process.env.FLUE_TEST_SECRET ?? 'offline/demo'");
      const root = temporaryProject({ 'src/a.ts': agent, '.env': 'FLUE_TEST_SECRET=value-of-the-file\n' });
      const compilation = (await open(root)).compile();
      expect(compilation.manifest().models).toMatchObject([{ specifier: 'offline/demo' }]);
      expect([...compilation.outputs().values()].join('')).not.toContain('value-of-the-');
    } finally {
      delete process.env.FLUE_TEST_SECRET;
    }
  });

  it('cuts a description above 2,000 characters and says so (MAN-12)', async () => {
    const tool = (length: number) =>
      `  useTool({ name: 't${length}', description: '${'x'.repeat(length)}', run: () => 1 });\n`;
    const body = AGENT.replace('}\n', `${tool(2000)}${tool(2001)}}\n`).replace(
      'useModel }',
      'useModel, useTool }',
    );
    const [agent] = (await open(temporaryProject({ 'src/a.ts': body }))).compile().manifest().agents;
    const [whole, cut] = agent?.tools ?? [];
    expect(whole).not.toHaveProperty('descriptionCut');
    expect(cut).toMatchObject({ description: 'x'.repeat(2000), descriptionCut: true });
  });
});
