import { readFileSync, rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMPILER_VERSION } from '../emit/compiler-version.ts';
import { runFlue } from '../testing/run-flue.fixture.ts';
import { BROKEN } from '../testing/sources.fixture.ts';
import { temporaryProject } from '../testing/temporary-project.fixture.ts';
import { run } from './main.ts';

describe('the command line', () => {
  it('prints help and version to stdout and exits 0 (CLI-02)', async () => {
    const root = temporaryProject({});
    expect(await runFlue(root, ['--version'])).toEqual({
      code: 0,
      stdout: `${COMPILER_VERSION}\n`,
      stderr: '',
    });
    expect(await runFlue(root, ['-v'])).toMatchObject({ stdout: `${COMPILER_VERSION}\n` });
    expect((await runFlue(root, ['--help'])).stdout).toContain('check');
    const help = await runFlue(root, ['check', '-h']);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('--max-warnings <n>');
  });

  it.each([
    [['chekc'], 'unknown command "chekc"; did you mean "check"?'],
    [['check', '--fromat', 'json'], 'unknown option --fromat; did you mean --format?'],
    [['check', '--format'], '--format needs a value <format>.'],
    [['check', '--format', '--quiet'], '--format needs a value <format>.'],
    [['check', '--format=jsn'], 'there is no format "jsn"; did you mean "json"?'],
    [['check', '--quiet=yes'], '--quiet takes no value.'],
    [['check', '--quiet', '--quiet'], '--quiet is given more than once.'],
    [['check', '--', 'src'], 'nothing may follow a bare "--".'],
    [['generate', 'src'], 'unexpected argument "src".'],
    [['check', '--max-warnings', 'few'], '--max-warnings needs a number, not "few".'],
    [['check', '--rule', 'FLUE2102=loud'], '"loud" is none of off, hint, info, warn, error.'],
    [
      ['check', '--rule', 'model-repeatd=off'],
      'there is no rule "model-repeatd"; did you mean "model-repeated"?',
    ],
    [['check', '--explain', 'FLUE9999'], 'there is no rule "FLUE9999"'],
  ])('%j is a usage error with a pointer to help (CLI-04)', async (argv, message) => {
    const result = await runFlue(temporaryProject({}), argv);
    expect(result).toMatchObject({ code: 2, stdout: '' });
    expect(result.stderr).toContain(message);
    expect(result.stderr).toMatch(/Run flue( check| generate)? --help\./);
    expect(result.stderr).not.toMatch(/\n\s+at /);
  });

  it('answers a fault of its own with one line and a report file; --verbose prints the stack (CLI-06)', async () => {
    const written: string[] = [];
    const io = {
      out: () => {
        throw new Error('the pipe is gone\nsecond line');
      },
      err: (text: string) => void written.push(text),
      workingDirectory: '/',
      env: {},
      isTerminal: false,
      untilInterrupted: () => new Promise<never>(() => {}),
    };
    expect(await run(['--version'], io)).toBe(2);
    const [line = ''] = written;
    expect(line).toMatch(/^flue: internal error: the pipe is gone \(report: .*\.txt\)\n$/);
    const path = /report: (.*)\)/.exec(line)?.[1] ?? '';
    expect(readFileSync(path, 'utf8')).toMatch(/Error: the pipe is gone(.*\n)* {4}at /);
    rmSync(path);
    expect(await run(['check', '--help', '--verbose'], io)).toBe(2);
    expect(written.at(-1)).toMatch(/\n {4}at /);
  });

  it('keeps colour off without a terminal, unless it is forced (CLI-03)', async () => {
    const root = temporaryProject({ 'src/a.ts': BROKEN });
    const colored = (text: string) => text.includes('\u001b[');
    expect(colored((await runFlue(root, ['check'])).stdout)).toBe(false);
    expect(colored((await runFlue(root, ['check'], { FORCE_COLOR: '1' })).stdout)).toBe(true);
    expect(colored((await runFlue(root, ['check'], { FORCE_COLOR: '1', NO_COLOR: '1' })).stdout)).toBe(false);
    expect(colored((await runFlue(root, ['check', '--no-color'], { FORCE_COLOR: '1' })).stdout)).toBe(false);
  });

  it('takes --config from the working directory, whatever the root is (CLI-03)', async () => {
    const root = temporaryProject({
      'app/package.json': '{}',
      'shared/flue.config.ts': 'export default { targt: 1 };',
    });
    const result = await runFlue(root, ['check', '--cwd', 'app', '--config', 'shared/flue.config.ts']);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('[flue] Invalid config in ../shared/flue.config.ts (FLUE5002):');
  });
});
