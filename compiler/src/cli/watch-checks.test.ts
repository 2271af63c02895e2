import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { AGENT, BROKEN, TWO_MODELS } from '../testing/sources.fixture.ts';
import { addFiles, temporaryProject } from '../testing/temporary-project.fixture.ts';
import { run } from './main.ts';

interface Watching {
  /** what the next pass says that nobody has asked for yet, once it is there */
  next(): Promise<{ readonly rules: readonly string[]; readonly files: number; readonly line: string }>;
  /** text on stderr, once it is there */
  told(text: string): Promise<void>;
  readonly stdout: () => string;
  /** as the signal does; with the exit code */
  interrupt(): Promise<number>;
}

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function watch(root: string, { argv = [] as string[], isTerminal = false } = {}): Watching {
  const written = { stdout: '', stderr: '' };
  let taken = 0;
  let signal: (code: number) => void = () => {};
  let heard = () => {};
  const interrupted = new Promise<number>((resolve) => {
    signal = resolve;
  });
  const write = (stream: keyof typeof written) => (text: string) => {
    written[stream] += text;
    heard();
  };
  const ended = run(['check', '--watch', ...argv], {
    out: write('stdout'),
    err: write('stderr'),
    workingDirectory: root,
    env: { NO_COLOR: '1' },
    isTerminal,
    untilInterrupted: () => interrupted,
  });
  const until = async <T>(look: () => T | undefined): Promise<T> => {
    for (;;) {
      const seen = look();
      if (seen !== undefined) return seen;
      await new Promise<void>((resolve) => {
        heard = resolve;
      });
    }
  };
  const watching: Watching = {
    async next() {
      const line = await until(() => written.stdout.split('\n').slice(0, -1)[taken]);
      taken++;
      const { diagnostics, summary } = JSON.parse(line);
      return { rules: diagnostics.map(({ rule }: { rule: string }) => rule), files: summary.files, line };
    },
    told: (text) => until(() => (written.stderr.includes(text) ? true : undefined)).then(() => {}),
    stdout: () => written.stdout,
    interrupt() {
      signal(130);
      return ended;
    },
  };
  ends.push(() => watching.interrupt());
  return watching;
}

const asJson = { argv: ['--format', 'json', '--quiet'] };

describe('flue check --watch', () => {
  it('checks again after an edit, a syntax error and a repair, one line of json a pass (CHK-09)', async () => {
    const root = temporaryProject({ 'src/a.ts': AGENT });
    const watching = watch(root, asJson);
    expect((await watching.next()).rules).toEqual([]);
    addFiles(root, { 'src/a.ts': TWO_MODELS });
    expect((await watching.next()).rules).toEqual(['FLUE2102']);
    addFiles(root, { 'src/a.ts': BROKEN });
    expect((await watching.next()).rules).toEqual(['FLUE5001']);
    addFiles(root, { 'src/a.ts': AGENT });
    expect((await watching.next()).rules).toEqual([]);
    expect(await watching.interrupt()).toBe(130);
  });

  it('sees files, folders and what is imported come and go (CHK-09)', async () => {
    const user = `import '@flue/runtime';\nimport './late.ts';\n`;
    const root = temporaryProject({ 'src/a.ts': AGENT, 'src/user.ts': user });
    const watching = watch(root, asJson);
    expect(await watching.next()).toMatchObject({ rules: [], files: 2 });
    addFiles(root, { 'src/late.ts': 'export {};\n' });
    expect(await watching.next()).toMatchObject({ rules: [], files: 3 });
    addFiles(root, { 'src/deep/er/b.ts': AGENT });
    expect((await watching.next()).rules).toEqual(['FLUE1102', 'FLUE1102']);
    addFiles(root, { 'src/deep/er/b.ts': AGENT.replace('Orders', 'Other') });
    expect(await watching.next()).toMatchObject({ rules: [], files: 4 });
    rmSync(join(root, 'src/deep'), { recursive: true });
    expect(await watching.next()).toMatchObject({ rules: [], files: 3 });
    rmSync(join(root, 'src/a.ts'));
    expect(await watching.next()).toMatchObject({ files: 2 });
  });

  it('follows the tsconfig, a base of it outside of the project, skills, the lock and the config (CHK-09)', async () => {
    const outer = temporaryProject({
      'base.json': '{}',
      'app/package.json': '{}',
      'app/tsconfig.json': '{ "extends": "../base.json" }',
      'app/src/a.ts': `${TWO_MODELS}import '#w';\nimport s from './s/SKILL.md';\nexport const used = s;\n`,
      'app/src/s/SKILL.md': '---\nname: s\ndescription: d\n---\nbody\n',
      'app/src/w.ts': 'export {};\n',
    });
    const root = join(outer, 'app');
    const watching = watch(root, asJson);
    expect((await watching.next()).rules).toEqual(['FLUE2102', 'FLUE5005']);
    addFiles(outer, { 'base.json': '{ "compilerOptions": { "paths": { "#w": ["./app/src/w.ts"] } } }' });
    expect((await watching.next()).rules).toEqual(['FLUE2102']);
    addFiles(root, { 'src/s/SKILL.md': 'body\n' });
    expect((await watching.next()).rules).toContainEqual(expect.stringMatching(/^FLUE32/));
    addFiles(root, { 'flue.lock.json': '{"agents":{"Gone":{"module":"src/gone.ts"}},"lockVersion":1}' });
    expect((await watching.next()).rules).toContain('FLUE1107');
    addFiles(root, { 'flue.config.ts': "export default { check: { rules: { FLUE2102: 'off' } } };" });
    expect((await watching.next()).rules).not.toContain('FLUE2102');
    addFiles(root, { 'flue.config.ts': "export default { check: { rules: { FLUE2102: 'info' } } };" });
    expect((await watching.next()).rules).toContain('FLUE2102');
  });

  it('tells a config or tsconfig that it cannot use, and goes on when it is mended (CHK-09)', async () => {
    const root = temporaryProject({
      'src/a.ts': `${AGENT}import './b.ts';\n`,
      'src/b.ts': '',
      'tsconfig.json': '{}',
    });
    const watching = watch(root, asJson);
    await watching.next();
    addFiles(root, { 'flue.config.ts': "export default { targt: 'node' };" });
    await watching.told('(FLUE5002)');
    expect((await watching.next()).rules).toEqual([]);
    addFiles(root, { 'flue.config.ts': "export default { check: { rules: { FLUE2101: 'off' } } };" });
    expect((await watching.next()).rules).toEqual([]);
    addFiles(root, { 'tsconfig.json': '{ "compilerOptions": ' });
    await watching.told('tsconfig.json: 1:');
    addFiles(root, { 'tsconfig.json': '{}' });
    expect((await watching.next()).rules).toEqual([]);
  });

  it('stays quiet about what no check reads: its next line is that of the next edit (CHK-09)', async () => {
    const root = temporaryProject({ 'src/a.ts': AGENT, 'src/data.json': '1' });
    const watching = watch(root, asJson);
    await watching.next();
    addFiles(root, { 'src/data.json': '2', 'src/a.ts': AGENT });
    addFiles(root, { 'src/a.ts': TWO_MODELS });
    expect((await watching.next()).rules).toEqual(['FLUE2102']);
    await watching.interrupt();
    expect(watching.stdout().split('\n')).toHaveLength(3);
  });

  it('clears the screen on a terminal only (CHK-09)', async () => {
    const root = temporaryProject({ 'src/a.ts': AGENT });
    const [terminal, pipe] = [watch(root, { isTerminal: true }), watch(root)];
    await terminal.told('Watching for changes.');
    await pipe.told('Watching for changes.');
    expect(terminal.stdout()).toMatch(/^\u001b\[2J\u001b\[3J\u001b\[HNo problems/);
    expect(pipe.stdout()).toMatch(/^No problems/);
  });

  it('does not begin where it cannot start, and repairs nothing (CHK-02)', async () => {
    const root = temporaryProject({ 'src/a.ts': AGENT, 'flue.config.ts': 'export default 7;' });
    expect(await watch(root).interrupt()).toBe(2);
    expect(await watch(temporaryProject({}), { argv: ['--fix'] }).interrupt()).toBe(2);
  });
});
