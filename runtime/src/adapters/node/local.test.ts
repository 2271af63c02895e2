import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGrepTool } from '../../engine/sandbox/tools/grep.ts';
import { readRegularFile, replaceFile } from './host-files.ts';
import { local } from './local.ts';

let cwd: string;
beforeEach(() => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), 'flue-local-')));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const open = (options: Parameters<typeof local>[0] = {}) =>
  local({ cwd, ...options }).createSessionEnv({ id: 'a' });

describe('local()', () => {
  it('works on the real files of the host (LOC-01)', async () => {
    const env = await open();
    await env.writeFile('a.txt', 'x');
    expect(readdirSync(cwd)).toEqual(['a.txt']);
    expect((await env.exec('cat a.txt')).stdout).toBe('x');
  });

  it('names a directory that is not there (LOC-02)', async () => {
    const missing = join(cwd, 'nope');
    await expect(open({ cwd: missing })).rejects.toThrow(missing);
    expect((await local().createSessionEnv({ id: 'a' })).cwd).toBe(process.cwd());
  });

  it('passes on a few variables of the host as they were at the call, and its own (LOC-03)', async () => {
    process.env.FLUE_SECRET_OF_THE_HOST = 'secret';
    const factory = local({ cwd, env: { OWN: '1', HOME: undefined } });
    process.env.FLUE_SECRET_OF_THE_HOST = undefined as never;
    delete process.env.FLUE_SECRET_OF_THE_HOST;
    const { stdout } = await (await factory.createSessionEnv({ id: 'a' })).exec('env');
    expect(stdout).toContain('OWN=1');
    expect(stdout).toContain('PATH=');
    expect(stdout).not.toMatch(/secret|^HOME=/m);
    expect(() => local({ env: [] as never })).toThrow(TypeError);
    expect(() => local({ environment: {} } as never)).toThrow(/"environment"/);
  });

  it('finds its shell without the PATH of the sandbox (LOC-05)', async () => {
    const env = await open({ env: { PATH: '/nowhere' } });
    expect((await env.exec('echo "$BASH_VERSION"')).stdout).not.toBe('\n');
  });

  it('ends the whole group at a limit, by force if need be, and what a shell leaves behind (LOC-06)', async () => {
    const env = await open();
    const limited = await env.exec('trap "" TERM; (sleep 30; echo late > late) & echo begun; wait', {
      timeoutMs: 200,
    });
    expect(limited).toMatchObject({ exitCode: 124, stdout: 'begun\n' });
    const left = await env.exec('sleep 30 & echo $!');
    expect(left.exitCode).toBe(0);
    // Ended: gone, or a zombie that nobody has collected.
    const { stdout } = await env.exec(`cut -d' ' -f3 /proc/${left.stdout.trim()}/stat`);
    expect(stdout.trim()).toMatch(/^Z?$/);
  }, 15_000);

  it('tells of a command that a signal ended (LOC-07)', async () => {
    expect(await (await open()).exec('kill -SEGV $$')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('SIGSEGV'),
    });
  });

  it('replaces a file at once, with its mode, and through a link (LOC-08)', async () => {
    const env = await open();
    writeFileSync(join(cwd, 'run.sh'), 'old', { mode: 0o755 });
    symlinkSync('run.sh', join(cwd, 'link'));
    await env.writeFile('link', 'new');
    expect(await env.readFile('run.sh')).toBe('new');
    expect(statSync(join(cwd, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(await env.stat('link')).toMatchObject({ isSymbolicLink: true, isFile: true, size: 3 });
    expect(readdirSync(cwd).sort()).toEqual(['link', 'run.sh']);
  });

  it('writes what a link leads to, also when that is not there yet (LOC-08, LOC-09)', async () => {
    mkdirSync(join(cwd, 'in'));
    symlinkSync('../made', join(cwd, 'in/link'));
    const root = join(cwd, 'in');
    const confined = await open({ cwd: root, root });
    await expect(confined.writeFile('link', 'x')).rejects.toMatchObject({ type: 'sandbox_path_denied' });
    expect(readdirSync(cwd)).toEqual(['in']);
    await (await open({ cwd: root })).writeFile('link', 'x');
    expect(readFileSync(join(cwd, 'made'), 'utf8')).toBe('x');
    expect(readdirSync(root)).toEqual(['link']);
  });

  it('confines file verbs to a root, by where paths really lead (LOC-09)', async () => {
    mkdirSync(join(cwd, 'in'));
    mkdirSync(join(cwd, 'inside'));
    writeFileSync(join(cwd, 'inside/secret'), 'x');
    symlinkSync('../inside', join(cwd, 'in/link'));
    const env = await open({ root: join(cwd, 'in'), cwd: join(cwd, 'in') });
    await env.writeFile('a/b', 'x');
    expect(await env.readFile('a/b')).toBe('x');
    const denied = { type: 'sandbox_path_denied' };
    await expect(env.readFile('../inside/secret')).rejects.toMatchObject(denied);
    await expect(env.readFile('link/secret')).rejects.toMatchObject(denied);
    await expect(env.readdir('link')).rejects.toMatchObject(denied);
    await expect(env.writeFile('link/new', 'x')).rejects.toMatchObject(denied);
    await expect(env.rm(cwd, { recursive: true })).rejects.toMatchObject(denied);
    expect(await env.exists('link/secret')).toBe(false);
    expect(readdirSync(join(cwd, 'inside'))).toEqual(['secret']);
    expect((await env.exec('cat ../inside/secret')).stdout).toBe('x');
    expect((await env.exec('cat secret', { cwd: '../inside' })).stdout).toBe('x');
    const nowhere = join(cwd, 'nowhere');
    expect(await env.exec('pwd', { cwd: nowhere })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(nowhere),
    });
  });

  it('changes nothing when it is read-only (LOC-09)', async () => {
    writeFileSync(join(cwd, 'a'), 'A');
    const env = await open({ readOnly: true });
    expect(await env.readFile('a')).toBe('A');
    for (const change of [() => env.writeFile('a', 'B'), () => env.mkdir('d'), () => env.rm('a')]) {
      await expect(change()).rejects.toMatchObject({ type: 'sandbox_path_denied' });
    }
    expect(readdirSync(cwd)).toEqual(['a']);
  });

  it('reads and replaces files alone: no pipe holds it, and no device feeds it for ever (LOC-08, FIL-01)', async () => {
    const env = await open();
    await env.exec('mkfifo pipe; ln -s /dev/zero zeros; echo x > plain');
    for (const path of ['pipe', 'zeros', '/dev/zero']) {
      await expect(env.readFile(path)).rejects.toThrow(/^EINVAL: is no regular file/);
      await expect(env.readFileBuffer(path)).rejects.toMatchObject({ code: 'EINVAL' });
    }
    await expect(env.writeFile('pipe', 'x')).rejects.toMatchObject({ code: 'EINVAL' });
    await expect(env.readFile('.')).rejects.toMatchObject({ code: 'EISDIR' });
    expect((await env.stat('pipe')).isFile).toBe(false);
    const { content } = await createGrepTool(env).execute('c', { pattern: 'x' });
    expect(content).toEqual([{ type: 'text', text: 'plain:1:x' }]);
  });

  it('judges what it has opened, not what the path led to before (LOC-09)', async () => {
    const root = join(cwd, 'in');
    mkdirSync(root);
    mkdirSync(join(cwd, 'out'));
    writeFileSync(join(cwd, 'out/secret'), 'x');
    // As if these links had taken the place of a file and a folder since the path was checked.
    symlinkSync('../out/secret', join(root, 'file'));
    symlinkSync('../out', join(root, 'folder'));
    const denied = { type: 'sandbox_path_denied' };
    await expect(readRegularFile(join(root, 'file'), root)).rejects.toMatchObject(denied);
    await expect(readRegularFile(join(root, 'folder/secret'), root)).rejects.toMatchObject(denied);
    await expect(replaceFile(join(root, 'folder/new'), 'x', root)).rejects.toMatchObject(denied);
    expect(readdirSync(join(cwd, 'out'))).toEqual(['secret']);
  });

  it.each([[{ root: '' }], [{ root: 1 }], [{ readOnly: 'yes' }]])('refuses %j (LOC-09)', (options) => {
    expect(() => local(options as never)).toThrow(/^\[flue\] local\(\): (root|readOnly) must be/);
  });
});
