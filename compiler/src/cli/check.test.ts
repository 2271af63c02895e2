import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runFlue } from '../testing/run-flue.fixture.ts';
import { AGENT, BROKEN, TWO_MODELS } from '../testing/sources.fixture.ts';
import { addFiles, temporaryProject } from '../testing/temporary-project.fixture.ts';

async function jsonCheck(root: string, ...argv: string[]) {
  const { code, stdout } = await runFlue(root, ['check', '--format', 'json', ...argv]);
  return { code, report: JSON.parse(stdout) };
}

describe('flue check', () => {
  it('exits 0 on a good project and says what it has seen (CHK-02, CHK-04)', async () => {
    const { code, stdout, stderr } = await runFlue(temporaryProject({ 'src/a.ts': AGENT }), ['check']);
    expect(stdout).toMatch(/^No problems: 1 agent in 1 file checked in [\d.]+ m?s\.\n$/);
    expect([code, stderr]).toEqual([0, '']);
  });

  it('says where it looked when there is no agent', async () => {
    const root = temporaryProject({ 'src/a.ts': 'export const a = 1;' });
    const result = await runFlue(root, ['check']);
    expect(result.code).toBe(0);
    expect(result.stderr).toBe(
      "No agent modules under src. A module becomes one when it starts with 'use agent'.\n",
    );
    expect((await runFlue(root, ['check', '--quiet'])).stderr).toBe('');
  });

  it('reports a syntax error with a code frame, beside the findings of other files (CHK-02, RULE-06)', async () => {
    const root = temporaryProject({ 'src/a.ts': BROKEN, 'src/b.ts': TWO_MODELS });
    const { code, stdout } = await runFlue(root, ['check']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^src\/a\.ts:\d+:\d+ error FLUE5001 parse-error$/m);
    expect(stdout).toMatch(/^src\/b\.ts:6:\d+ error FLUE2102 model-repeated$/m);
    expect(stdout).toMatch(/^ {2}6 \| {3}useModel\('offline\/demo'\);\n {4}\| {3}\^{8,}$/m);
  });

  /** Its tool answers what `result` says, which only types can tell. */
  const answering = (result: string) => `'use agent';
import { useModel, useTool } from '@flue/runtime';
declare const nothing: Map<string, string>;
export function Desk() {
  useModel('offline/demo');
  useTool({ name: 'look', description: 'd', run: () => ${result} });
}
`;

  it('asks for types where syntax leaves a rule undecided, for all with --types=all, for none with --no-types (RULE-07)', async () => {
    const root = temporaryProject({ 'src/a.ts': answering('({ found: nothing })') });
    const codes = async (...argv: string[]) =>
      (await jsonCheck(root, ...argv)).report.diagnostics.map(({ rule }: { rule: string }) => rule);
    expect(await codes()).toEqual(['FLUE3010']);
    expect(await codes('--no-types')).toEqual([]);
    expect(await codes('--types=all')).toEqual(['FLUE3010']);
    // Each way of asking is remembered by itself.
    expect(await codes('--no-types')).toEqual([]);
    expect(await codes()).toEqual(['FLUE3010']);

    for (const [argv, said] of [
      [['--types=some'], '--types takes "all", not "some"'],
      [['--types', 'all', '--no-types'], 'take one of --types=all and --no-types'],
    ] as const) {
      const { code, stderr } = await runFlue(root, ['check', ...argv]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
    }
  }, 60_000);

  it('judges the client where types are asked, and one that nobody committed only while the manifest is current (RULE-07, GEN-04)', async () => {
    const root = temporaryProject({ 'src/a.ts': answering('new Date(0)') });
    await runFlue(root, ['generate']);
    addFiles(root, { 'src/a.ts': answering('[new Date(0)]') });
    const stale = async (...argv: string[]) =>
      (await jsonCheck(root, ...argv)).report.diagnostics
        .filter(({ rule }: { rule: string }) => rule === 'FLUE5004')
        .map(({ file }: { file: string }) => file);
    expect(await stale('--frozen')).toContain('.flue/client.ts');
    expect(await stale('--frozen', '--no-types')).not.toContain('.flue/client.ts');
    // Nor are they asked at every edit about a file that nobody committed, when the manifest says it all.
    expect(await stale()).toEqual(['.flue/agents.ts', '.flue/manifest.json']);
  }, 60_000);

  it('takes a suppression with a reason, and warns of one without and of one that matches nothing (CHK-10)', async () => {
    const suppressed = (comment: string) =>
      TWO_MODELS.replace(/\n( {2}useModel\('offline\/demo'\);\n})/, `\n  ${comment}\n$1`);
    const found = async (source: string, ...argv: string[]) => {
      const { code, report } = await jsonCheck(temporaryProject({ 'src/a.ts': source }), ...argv);
      const told = report.diagnostics.map(
        (one: { rule: string; severity: string; range: { start: { line: number } } }) => [
          one.rule,
          one.severity,
          one.range.start.line,
        ],
      );
      return { code, told };
    };
    expect(await found(suppressed('// flue-ignore FLUE2102 -- one of them goes next week'))).toEqual({
      code: 0,
      told: [],
    });
    expect(await found(suppressed('// flue-ignore FLUE2102'))).toEqual({
      code: 1,
      told: [
        ['FLUE5008', 'warning', 6],
        ['FLUE2102', 'error', 7],
      ],
    });
    const unused = AGENT.replace('  useModel', '  // flue-ignore FLUE2102 -- there were two\n  useModel');
    expect(await found(unused)).toEqual({ code: 0, told: [['FLUE5007', 'warning', 5]] });
    expect((await found(unused, '--max-warnings', '0')).code).toBe(1);
  });

  it('reports a file that is not UTF-8 (FLUE5001)', async () => {
    const root = temporaryProject({ 'src/a.ts': Buffer.from(`${AGENT}// caf\u00e9`, 'latin1') });
    const { code, report } = await jsonCheck(root);
    expect(code).toBe(1);
    expect(report.diagnostics).toMatchObject([{ rule: 'FLUE5001', file: 'src/a.ts' }]);
  });

  it('takes a source file of 5 MB in its stride, marked or not', async () => {
    const bulk = `export const rows = [\n${`  '${'0123456789'.repeat(40)}',\n`.repeat(12_500)}];\n`;
    const marked = `${AGENT.replace('Orders', 'Bulk')}${bulk}`;
    const root = temporaryProject({ 'src/a.ts': AGENT, 'src/bulk.ts': bulk, 'src/marked.ts': marked });
    expect(statSync(join(root, 'src/bulk.ts')).size).toBeGreaterThan(5_000_000);
    const { code, report } = await jsonCheck(root);
    expect(code).toBe(0);
    expect(report.summary).toMatchObject({ errors: 0, files: 2, agents: 2 });
  });

  it('lists every fault of a bad config and exits 2 without a stack (CFG-04, CHK-02)', async () => {
    const root = temporaryProject({
      'src/a.ts': AGENT,
      'flue.config.ts': "export default { targt: 'node', check: { maxWarnings: -1 } } satisfies object;",
    });
    expect(await runFlue(root, ['check'])).toEqual({
      code: 2,
      stdout: '',
      stderr: [
        '[flue] Invalid config in flue.config.ts (FLUE5002):',
        '  targt is not a field; did you mean "target"?',
        '  check.maxWarnings must be an integer of at least 0, not -1',
        '',
      ].join('\n'),
    });
  });

  it('gives the place of a syntax or run-time error of the config (CFG-03)', async () => {
    const syntax = temporaryProject({ 'flue.config.ts': 'export default {\n  target: ,\n};' });
    const broken = await runFlue(syntax, ['check']);
    expect(broken.code).toBe(2);
    expect(broken.stderr).toMatch(/^\[flue\] Invalid config in flue\.config\.ts \(FLUE5002\):\n {2}2:\d+ /);
    const throws = temporaryProject({ 'flue.config.ts': '\nthrow new Error("no region");' });
    expect((await runFlue(throws, ['check'])).stderr).toMatch(/\n {2}2:\d+ no region\.\n$/);
  });

  it('loads a TypeScript config with enums, path aliases and defineConfig on any Node (CFG-03)', async () => {
    const root = temporaryProject({
      'lib/agents/a.ts': AGENT,
      'tsconfig.json': '{ "compilerOptions": { "paths": { "~/*": ["./settings/*"] } } }',
      'settings/root.ts': "export enum Root { Lib = 'lib' }",
      'flue.config.ts':
        "import { defineConfig } from '@flue/runtime/config';\nimport { Root } from '~/root';\n" +
        'export default defineConfig({ sourceRoot: Root.Lib as string });',
    });
    expect((await jsonCheck(root)).report.summary.agents).toBe(1);
  });

  it('warns of several configs in every command (CFG-02)', async () => {
    const root = temporaryProject({
      'src/a.ts': AGENT,
      'flue.config.ts': 'export default {};',
      'flue.config.js': 'export default {};',
    });
    for (const command of ['check', 'generate']) {
      expect((await runFlue(root, [command])).stderr).toContain(
        'flue.config.ts is used, not flue.config.js.',
      );
    }
  });

  it.each([
    ['{ "compilerOptions": {, } }', /^flue: tsconfig\.json: 1:\d+ /],
    ['{ "extends": "./gone.json" }', /^flue: tsconfig\.json: .*gone\.json/],
  ])('exits 2 on the tsconfig %s, naming file and reason (CHK-02)', async (text, message) => {
    const source = `${AGENT}export { helper } from './b.ts';\n`;
    const root = temporaryProject({
      'src/a.ts': source,
      'src/b.ts': 'export const helper = 1;',
      'tsconfig.json': text,
    });
    const { code, stdout, stderr } = await runFlue(root, ['check']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });

  it('exits 2 for a path or a root that does not exist (CHK-03)', async () => {
    const root = temporaryProject({});
    expect(await runFlue(root, ['check', 'nope'])).toMatchObject({
      code: 2,
      stderr: 'flue: nope: there is no such file or directory.\n',
    });
    expect((await runFlue(root, ['check', '--cwd', 'nope'])).code).toBe(2);
    expect((await runFlue(root, ['check', '--config', 'nope.ts'])).stderr).toContain(
      'the file does not exist',
    );
  });

  it('reports only below the given paths, and counts only those (CHK-03)', async () => {
    const root = temporaryProject({ 'src/a.ts': BROKEN, 'src/x/b.ts': BROKEN });
    const { report } = await jsonCheck(root, 'src/x');
    expect(report.diagnostics.map(({ file }: { file: string }) => file)).toEqual(['src/x/b.ts']);
    expect(report.summary.errors).toBe(1);
    addFiles(root, { 'src/x/b.ts': AGENT });
    expect((await jsonCheck(root, 'src/x/b.ts')).code).toBe(0);
  });

  it('sets severities by code or name, and fails on too many warnings (RULE-32, CHK-02)', async () => {
    const root = temporaryProject({ 'src/a.ts': TWO_MODELS });
    expect((await runFlue(root, ['check', '--rule', 'model-repeated=off'])).code).toBe(0);
    const warned = ['check', '--rule', 'FLUE2102=warn'];
    expect((await runFlue(root, warned)).code).toBe(0);
    expect((await runFlue(root, [...warned, '--max-warnings', '0'])).code).toBe(1);
    addFiles(root, {
      'flue.config.mjs': "export default { check: { rules: { FLUE2102: 'warn' }, maxWarnings: 0 } };",
    });
    expect((await runFlue(root, ['check'])).code).toBe(1);
    addFiles(root, { 'flue.config.mjs': "export default { check: { ignore: ['src/**'] } };" });
    expect((await runFlue(root, ['check'])).code).toBe(0);
  });

  it('ignores what the configuration says, but never what a build depends on (RULE-32)', async () => {
    const root = temporaryProject({
      'src/a.ts': TWO_MODELS,
      'src/b.ts': BROKEN,
      'flue.config.mjs': "export default { check: { ignore: ['src/**'] } };",
    });
    const { report } = await jsonCheck(root);
    expect(report.diagnostics.map(({ rule }: { rule: string }) => rule)).toEqual(['FLUE5001']);
  });

  it('writes the report to a file (CLI-02)', async () => {
    const root = temporaryProject({ 'src/a.ts': BROKEN });
    const { code, stdout } = await runFlue(root, ['check', '--format', 'json', '--output', 'report.json']);
    expect([code, stdout]).toEqual([1, '']);
    expect(JSON.parse(readFileSync(join(root, 'report.json'), 'utf8')).summary.errors).toBe(1);
    expect(await runFlue(root, ['check', '--output', 'no/such/folder'])).toMatchObject({
      code: 2,
      stderr: 'flue: no/such/folder: the report cannot be written (ENOENT).\n',
    });
  });

  it('annotates by default on GitHub, with the summary on stderr (CHK-07)', async () => {
    const { stdout, stderr } = await runFlue(temporaryProject({ 'src/a.ts': BROKEN }), ['check'], {
      GITHUB_ACTIONS: 'true',
    });
    expect(stdout).toMatch(/^::error file=src\/a\.ts,line=\d+,.*title=FLUE5001::/);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(/^1 error, 0 warnings: /);
  });

  it('lists its rules with the descriptions of their pages in SARIF (CHK-06)', async () => {
    const { stdout } = await runFlue(temporaryProject({ 'src/a.ts': BROKEN }), [
      'check',
      '--format',
      'sarif',
    ]);
    const [run] = JSON.parse(stdout).runs;
    expect(run.results).toMatchObject([{ ruleId: 'FLUE5001', level: 'error' }]);
    const rule = run.tool.driver.rules.find(({ id }: { id: string }) => id === 'FLUE2102');
    expect(rule.shortDescription.text).toContain('useModel()');
  });

  it('gives the same bytes from any working directory (CHK-11)', async () => {
    const root = temporaryProject({ 'src/a.ts': BROKEN, 'src/b.ts': AGENT });
    const strip = (text: string) => text.replace(/"durationMs": \d+/, '');
    const here = await runFlue(root, ['check', '--format', 'json']);
    const there = await runFlue('/', ['check', '--format', 'json', '--cwd', root]);
    expect(strip(there.stdout)).toBe(strip(here.stdout));
    expect(here.stdout).not.toContain(root);
  });

  it('explains a rule by code or name (RULE-33)', async () => {
    const root = temporaryProject({});
    const byCode = await runFlue(root, ['check', '--explain', 'flue2102']);
    expect(byCode).toMatchObject({ code: 0, stderr: '' });
    expect(byCode.stdout).toContain('FLUE2102');
    expect((await runFlue(root, ['check', '--explain', 'model-repeated'])).stdout).toBe(byCode.stdout);
  });

  it('writes nothing without its cache (CHK-01)', async () => {
    const root = temporaryProject({ 'src/a.ts': AGENT });
    await runFlue(root, ['check', '--no-cache']);
    expect(readdirSync(root).sort()).toEqual(['package.json', 'src']);
  });
});
