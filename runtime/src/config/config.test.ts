import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  discoverProjectEntry,
  FlueConfigError,
  loadFlueConfig,
  mergeFlueConfig,
  parseFlueConfig,
  resolveFlueConfigPath,
  resolveFlueProject,
} from '../config.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function project(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'flue-config-'));
  folders.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function issuesOf(run: () => unknown): string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof FlueConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
}

async function rejection(promise: Promise<unknown>): Promise<FlueConfigError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(FlueConfigError);
  return error as FlueConfigError;
}

describe('parseFlueConfig', () => {
  it('takes an empty configuration and a full one as they are (CFG-01)', () => {
    expect(parseFlueConfig({})).toEqual({});
    const config = { target: 'node', setup: ['./a.ts'], check: { rules: { 'tool-name-charset': 'error' } } };
    expect(parseFlueConfig(config)).toEqual(config);
  });

  it('lists every unknown field and wrong value at once, with suggestions (CFG-04)', () => {
    const value = { targt: 'node', check: { maxWarning: 3, profile: 'lax' }, dev: { port: 70000 }, app: 3 };
    expect(issuesOf(() => parseFlueConfig(value, 'flue.config.ts'))).toEqual([
      '[flue] Invalid config in flue.config.ts:',
      '  targt is not a field; did you mean "target"?',
      '  check.maxWarning is not a field; did you mean "maxWarnings"?',
      '  app must be a string, not 3',
      '  check.profile must be one of "strict", not "lax"',
      '  dev.port must be an integer from 0 to 65535, not 70000',
    ]);
  });

  it('refuses unknown rules, naming the close one (CFG-04)', () => {
    expect(issuesOf(() => parseFlueConfig({ check: { rules: { 'tool-name-charst': 'off' } } }))[1]).toBe(
      '  check.rules.tool-name-charst is no rule; did you mean "tool-name-charset"?',
    );
  });

  it('refuses to lower a finding that a build depends on (RULE-32)', () => {
    for (const key of ['FLUE1102', 'identity-duplicate']) {
      expect(issuesOf(() => parseFlueConfig({ check: { rules: { [key]: 'warn' } } }))[1]).toContain(
        `check.rules.${key} cannot be lowered`,
      );
    }
    expect(parseFlueConfig({ check: { rules: { FLUE1102: 'error' } } })).toMatchObject({
      check: { rules: { FLUE1102: 'error' } },
    });
  });

  it('holds the lease to twice the heartbeat (STA-08)', () => {
    expect(issuesOf(() => parseFlueConfig({ execution: { leaseMs: 1500 } }))[1]).toContain(
      'twice heartbeatMs',
    );
    expect(parseFlueConfig({ execution: { leaseMs: 1500, heartbeatMs: 500 } })).toMatchObject({
      execution: { leaseMs: 1500, heartbeatMs: 500 },
    });
  });

  it('takes only ids of providers (CFG-09)', () => {
    expect(issuesOf(() => parseFlueConfig({ providers: ['OpenAI'] }))[1]).toContain(
      'providers.0 must be a provider id',
    );
    expect(parseFlueConfig({ providers: ['openai', 'amazon-bedrock'] })).toMatchObject({
      providers: ['openai', 'amazon-bedrock'],
    });
  });
});

describe('mergeFlueConfig', () => {
  it('lets a defined inline field win as a whole (CFG-11)', () => {
    const file = { app: 'a.ts', dev: { port: 1, host: 'x' } };
    expect(mergeFlueConfig(file, { dev: { port: 2 } })).toEqual({ app: 'a.ts', dev: { port: 2 } });
  });
});

describe('resolveFlueConfigPath', () => {
  it('takes the first of the known names and warns of the others (CFG-02)', async () => {
    const root = project({ 'flue.config.mjs': 'export default {};', 'flue.config.js': 'export default {};' });
    expect(resolveFlueConfigPath({ cwd: root })).toBe(join(root, 'flue.config.mjs'));
    const { warnings } = await loadFlueConfig({ cwd: root });
    expect(warnings).toEqual(['Several Flue configs: flue.config.mjs is used, not flue.config.js.']);
  });

  it('reports a named file that does not exist', () => {
    expect(() => resolveFlueConfigPath({ cwd: project({}), configFile: 'x.ts' })).toThrow('does not exist');
  });
});

describe('loadFlueConfig', () => {
  it('calls a function with command, mode and env, and awaits it (CFG-01)', async () => {
    const root = project({
      'flue.config.mjs': 'export default async ({ command, env }) => ({ app: command + env.NAME });',
    });
    const { config } = await loadFlueConfig({ cwd: root, command: 'check', env: { NAME: '.ts' } });
    expect(config).toEqual({ app: 'check.ts' });
  });

  it('gives the place of an error that the module throws (CFG-03)', async () => {
    const root = project({
      'flue.config.mjs': 'const a = 1;\n  throw new Error("no region");\nexport default {};',
    });
    const error = await rejection(loadFlueConfig({ cwd: root }));
    expect(error.issues).toEqual([{ field: '', problem: 'no region.', line: 2, column: 9 }]);
    expect(error.message).not.toContain(root);
  });

  it('asks for a default export', async () => {
    const root = project({ 'flue.config.mjs': 'export const config = {};' });
    expect((await rejection(loadFlueConfig({ cwd: root }))).message).toContain('must be the default export');
  });

  it('hands the path to the loader of the host (CFG-12)', async () => {
    const root = project({ 'flue.config.ts': 'this is never read' });
    const { config } = await loadFlueConfig({
      cwd: root,
      load: async (path) => ({ default: { app: path } }),
    });
    expect(config.app).toBe(join(root, 'flue.config.ts'));
  });
});

describe('resolveFlueProject', () => {
  it('finds the source root and the entries below it (CFG-05, CFG-06, CFG-07)', () => {
    const root = project({ 'src/app.mts': '', 'src/db.js': '', 'src/setup.ts': '' });
    expect(resolveFlueProject({ root })).toEqual({
      root,
      config: {},
      target: 'node',
      sourceRoot: join(root, 'src'),
      generatedDir: join(root, '.flue'),
      app: join(root, 'src/app.mts'),
      db: join(root, 'src/db.js'),
      setup: [join(root, 'src/setup.ts')],
    });
    expect(discoverProjectEntry(project({ 'app.js': '' }), 'app')).toMatch(/app\.js$/);
    expect(resolveFlueProject({ root: project({ 'a.ts': '' }) }).setup).toEqual([]);
  });

  it('reports every explicit path that does not exist, by field (CFG-05)', () => {
    const root = project({ 'src/a.ts': '' });
    const config = { app: './x.ts', db: 'src/a.ts', setup: ['./y.ts'], sourceRoot: 'source' };
    expect(issuesOf(() => resolveFlueProject({ root, config }))).toEqual([
      '[flue] Invalid config in .:',
      '  sourceRoot names source, which is no directory.',
      '  app names x.ts, which does not exist.',
      '  setup.0 names y.ts, which does not exist.',
    ]);
  });

  it('resolves paths from the folder of the configuration (CFG-05)', () => {
    const root = project({ 'conf/flue.config.ts': '', 'conf/main.ts': '', 'conf/src/.keep': '' });
    const configFile = join(root, 'conf/flue.config.ts');
    const found = resolveFlueProject({ root, configFile, config: { app: './main.ts', sourceRoot: './src' } });
    expect([found.app, found.sourceRoot]).toEqual([join(root, 'conf/main.ts'), join(root, 'conf/src')]);
  });

  it('keeps the generated folder apart from the sources (CFG-07)', () => {
    const root = project({ '.flue/a.ts': '' });
    expect(issuesOf(() => resolveFlueProject({ root, config: { sourceRoot: '.flue' } }))[1]).toContain(
      'generate.outDir must be a folder of its own',
    );
    const config = { sourceRoot: '.flue', generate: { outDir: '.generated' } };
    expect(resolveFlueProject({ root, config }).generatedDir).toBe(join(root, '.generated'));
  });
});
