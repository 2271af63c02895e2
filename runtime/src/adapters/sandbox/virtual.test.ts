import { Bash } from 'just-bash';
import { describe, expect, it } from 'vitest';
import { bash } from './bash.ts';
import { virtual } from './virtual.ts';

const open = (options?: Parameters<typeof virtual>[0]) => virtual(options).createSessionEnv({ id: 'a' });

describe('the default environment', () => {
  it('starts empty in /workspace, which is home, with a /tmp (DEF-02)', async () => {
    const env = await open();
    expect((await env.exec('pwd; echo $HOME; ls -A; ls -d /tmp')).stdout).toBe(
      '/workspace\n/workspace\n/tmp\n',
    );
  });

  it('reaches nothing of the host (DEF-01)', async () => {
    process.env.FLUE_SECRET_OF_THE_HOST = 'secret';
    const env = await open();
    const result = await env.exec('env; cat /etc/passwd; ls /root; cat /proc/self/environ');
    delete process.env.FLUE_SECRET_OF_THE_HOST;
    expect(`${result.stdout}${result.stderr}`).not.toMatch(/secret|root:x/);
    expect(await env.exists(import.meta.filename)).toBe(false);
  });

  it('has no network and no interpreters (DEF-03, DEF-05)', async () => {
    const env = await open();
    for (const program of ['curl', 'wget', 'node', 'python3', 'js-exec']) {
      expect((await env.exec(`${program} x`)).exitCode).toBe(127);
    }
  });

  it('has the usual commands, pipes, functions and here-documents (DEF-06)', async () => {
    const env = await open();
    const commands =
      'ls cat head tail grep rg find sed awk sort uniq cut tr wc jq tar gzip base64 sha256sum date diff xargs tee';
    const { stdout } = await env.exec(`which ${commands}`);
    expect(stdout.trim().split('\n')).toHaveLength(commands.split(' ').length);
    const script = 'f() { sort | uniq -c; }\nf <<END | tee out\nb\na\nb\nEND\njq -r .x <<< \'{"x":1}\'';
    expect((await env.exec(script)).stdout).toMatch(/1 a\n +2 b\n1\n$/);
    expect(await env.exec('nosuch')).toMatchObject({
      exitCode: 127,
      stderr: expect.stringContaining('command not found'),
    });
  });

  it('bounds loops, files and output with ordinary results (DEF-05, VBSH-06)', async () => {
    const small = await open({
      limits: { fileBytes: 1_000_000, outputBytes: 500, commands: 50, loopIterations: 50 },
    });
    await expect(small.writeFile('big', 'x'.repeat(2_000_000))).rejects.toThrow(/ENOSPC/);
    expect(await small.exec('seq 400')).toMatchObject({ exitCode: 126, stdout: '' });
    expect((await small.exec('for i in $(seq 49); do :; done')).exitCode).toBe(0);
    expect((await small.exec('while true; do :; done')).exitCode).toBe(126);
    expect((await small.exec(':;'.repeat(101))).exitCode).toBe(126);
  });

  it('shares nothing with another one (SBX-09)', async () => {
    const [one, two] = [await open(), await open()];
    await one.writeFile('a', 'x');
    expect(await two.exists('a')).toBe(false);
  });
});

describe('virtual()', () => {
  it('seeds files and variables, in a directory of its own (VIRT-01)', async () => {
    const env = await open({ cwd: '/repo/', files: { 'src/a.txt': 'A', '/etc/b': 'B' }, env: { NAME: 'x' } });
    expect((await env.exec('pwd; cat src/a.txt /etc/b; echo $NAME')).stdout).toBe('/repo\nABx\n');
  });

  it.each([
    [{ file: {} }, /"file".*did you mean "files"/],
    [{ limits: { commandTimeout: 1 } }, /"commandTimeout".*did you mean "commandTimeoutMs"/],
    [{ limits: { commands: 0 } }, /limits\.commands must be a positive integer/],
    [{ cwd: 'relative' }, /cwd must be an absolute path/],
    [{ files: 'x' }, /files must be an object/],
  ])('refuses %j (VIRT-01)', (options, message) => {
    expect(() => virtual(options as never)).toThrow(message);
  });
});

describe('a busy command', () => {
  it('ends at its limit although it never waits (VBSH-04)', async () => {
    const env = await open({ limits: { loopIterations: 10_000_000 } });
    const result = await env.exec('echo begun; while true; do :; done', { timeoutMs: 100 });
    expect(result).toMatchObject({ exitCode: 124, stderr: expect.stringContaining('100 ms') });
    const recursive = await env.exec('f() { f; f; }; f', { timeoutMs: 100 });
    expect(recursive.exitCode).not.toBe(0);
  });

  it.each([
    ['a loop', 'i=0; while [ $i -lt 1500 ]; do i=$((i+1)); done'],
    ['a loop in another shell', `bash -c 'for i in $(seq 3000); do :; done'`],
    ['a long list', `${':\n'.repeat(1000)}`],
    [
      'calls of functions',
      'f() { :; }; g() { f; f; f; f; f; f; f; f; f; f; }; for i in $(seq 100); do g; done',
    ],
  ])('lets timers of the process fire: %s (VBSH-05)', async (_, script) => {
    const env = await open();
    let ticks = 0;
    let latest = 0;
    let last = process.cpuUsage();
    // Time of this process alone, so that a busy machine proves nothing.
    const note = () => {
      const { user, system } = process.cpuUsage(last);
      ticks += 1;
      latest = Math.max(latest, (user + system) / 1000);
      last = process.cpuUsage();
    };
    const timer = setInterval(note, 5);
    await env.exec(script);
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(2);
    expect(latest).toBeLessThan(250);
  });

  it('runs as if nobody made it pause (VBSH-05)', async () => {
    const scripts = [
      'false; for i in 1 2; do echo $?; done',
      'until false; do echo $?; break; done',
      'f() { echo "$?"; return 4; }; (exit 3); f; echo $?',
      'set -e; for i in 1 2; do false || true; echo $i; done; while read -r x; do echo "<$x>"; done <<< "in"',
    ];
    const plain = new Bash({ cwd: '/' });
    const woven = await bash(() => new Bash({ cwd: '/' })).createSessionEnv({ id: 'a' });
    for (const script of scripts) {
      const { stdout, stderr, exitCode } = await plain.exec(script);
      expect(await woven.exec(script)).toEqual({ stdout, stderr, exitCode });
    }
  });
});

describe('bash()', () => {
  it('asks its factory when the environment is created (VBSH-01, VBSH-03)', async () => {
    let made = 0;
    const factory = bash(async () => {
      made += 1;
      return new Bash({ cwd: '/mine', files: { '/mine/a': 'A' } });
    });
    expect(made).toBe(0);
    const env = await factory.createSessionEnv({ id: 'a' });
    expect([made, env.cwd, await env.readFile('a')]).toEqual([1, '/mine', 'A']);
  });

  it.each([[undefined], [{}], [{ exec() {}, getCwd() {} }]])('refuses %j (VBSH-02)', async (value) => {
    await expect(bash(() => value as never).createSessionEnv({ id: 'a' })).rejects.toThrow(
      /^\[flue\] BashFactory must return a Bash-like object\./,
    );
  });

  it('supplies what the engine does not: a missing directory, sorted names, plain results (VBSH-07)', async () => {
    const env = await bash(() => new Bash({ cwd: '/', files: { '/d/b': '', '/d/a': '' } })).createSessionEnv({
      id: 'a',
    });
    expect(await env.exec('pwd', { cwd: '/nope' })).toMatchObject({ exitCode: 1 });
    expect(await env.readdir('/d')).toEqual(['a', 'b']);
    expect(Object.keys(await env.exec('true'))).toEqual(['stdout', 'stderr', 'exitCode']);
  });
});
