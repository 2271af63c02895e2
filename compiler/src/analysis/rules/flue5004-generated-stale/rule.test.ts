import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { AGENT } from '../../../testing/sources.fixture.ts';
import { line } from '../examples.test.kit.ts';
import { checkOnDisk, findingsOnDisk, proveFixes } from '../project-examples.test.kit.ts';
import rule from './rule.ts';

const sources = { 'src/a.ts': AGENT };
const renamed = { 'src/a.ts': AGENT.replace('Orders', 'Renamed') };

/** The project with everything that it generates. */
async function generated(): Promise<Record<string, string>> {
  const { outputs } = await checkOnDisk(sources);
  return { ...sources, ...Object.fromEntries(outputs()) };
}

// Generated files name the version of the compiler, so these examples are made by it.
describe('FLUE5004 generated-stale', () => {
  it('an agent that was renamed after the last generate is found in each file, and repaired', async () => {
    const files = { ...(await generated()), ...renamed };
    const found = await findingsOnDisk(rule, files);
    expect(found.map(line)).toContain('.flue/agents.ts:1 FLUE5004 warning');
    expect(found.map(line)).toContain('.flue/manifest.json:1 FLUE5004 warning');
    expect(found[0]?.message).toBe(
      '.flue/agents.ts is out of date (the sources or the file have changed). Run flue generate.',
    );
    for (const diagnostic of found) await proveFixes(rule, files, found, diagnostic);
  });

  it('so are a hand edit, a missing file, and one of another version', async () => {
    const files = await generated();
    const path = '.flue/routes.ts';
    const edited = { ...files, [path]: `${files[path]}// mine\n` };
    expect((await findingsOnDisk(rule, edited)).map(line)).toEqual([`${path}:1 FLUE5004 warning`]);
    const { [path]: present = '', ...others } = files;
    expect(await findingsOnDisk(rule, others)).toMatchObject([
      { message: `${path} is out of date (it is missing). Run flue generate.`, fixes: [] },
    ]);
    const older = { ...files, [path]: present.replace(/by flue \S+\. Do/, 'by flue 0.0.1. Do') };
    expect(await findingsOnDisk(rule, older)).toMatchObject([
      { message: `${path} is out of date (written by flue 0.0.1). Run flue generate.` },
    ]);
  });

  it('is an error where git tracks the file, and with --frozen (RULE-33)', async () => {
    const files = { ...(await generated()), ...renamed };
    const prepare = (cwd: string) => {
      execFileSync('git', ['init', '-q'], { cwd });
      execFileSync('git', ['add', '-f', '.flue/agents.ts'], { cwd });
    };
    const severities = (found: Awaited<ReturnType<typeof findingsOnDisk>>) =>
      Object.fromEntries(found.map(({ span, severity }) => [span.path, severity]));
    expect(severities(await findingsOnDisk(rule, files, { prepare }))).toMatchObject({
      '.flue/agents.ts': 'error',
      '.flue/manifest.json': 'warning',
    });
    expect(severities(await findingsOnDisk(rule, files, { frozen: true }))).toMatchObject({
      '.flue/manifest.json': 'error',
    });
  });

  it('a checkout with one file of them is judged by that file', async () => {
    const path = '.flue/agents.ts';
    const { [path]: present = '' } = await generated();
    expect(await findingsOnDisk(rule, { ...sources, [path]: present })).toEqual([]);
    const found = await findingsOnDisk(rule, { ...renamed, [path]: present });
    expect(found.map(line)).toEqual([`${path}:1 FLUE5004 warning`]);
  });

  it('a fresh generate, line ends of another system, and no folder at all are accepted', async () => {
    const files = await generated();
    expect(await findingsOnDisk(rule, files)).toEqual([]);
    const windows = Object.entries(files).map(([path, text]) => [path, text.replaceAll('\n', '\r\n')]);
    expect(await findingsOnDisk(rule, { ...Object.fromEntries(windows), ...sources })).toEqual([]);
    expect(await findingsOnDisk(rule, renamed)).toEqual([]);
    expect(await findingsOnDisk(rule, { ...renamed, '.flue/.gitignore': '*' })).toEqual([]);
  });
});
