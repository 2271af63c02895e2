import { beforeEach, describe, expect, it } from 'vitest';
import { virtual } from '../../../adapters/sandbox/virtual.ts';
import type { SessionEnv } from '../../../ports/sandbox.ts';
import { plainText } from '../plain-text.ts';
import type { SessionTool } from '../session-tool.ts';
import { createBashTool } from './bash.ts';
import { createEditTool } from './edit.ts';
import { createGlobTool } from './glob.ts';
import { createGrepTool } from './grep.ts';
import { createReadTool } from './read.ts';
import { createWriteTool } from './write.ts';

let env: SessionEnv;
beforeEach(async () => {
  env = await virtual().createSessionEnv({ id: 'a' });
});

async function call(make: (env: SessionEnv) => SessionTool, params: object, signal?: AbortSignal) {
  const { content, details } = await make(env).execute('call', params, signal);
  const text = content.map((part) => ('text' in part ? part.text : '')).join('');
  return { text, details };
}
const textOf = async (...args: Parameters<typeof call>) => (await call(...args)).text;
const lines = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}\n`).join('');

describe('built-in tools', () => {
  it('describe their arguments as JSON Schema and refuse others, naming field and rule (TFAC-07)', async () => {
    const factories = [
      createReadTool,
      createWriteTool,
      createEditTool,
      createBashTool,
      createGrepTool,
      createGlobTool,
    ];
    for (const make of factories) {
      expect(make(env).parameters).toMatchObject({ type: 'object', additionalProperties: false });
      await expect(call(make, { path: 1, pattern: 2, command: 3, wrong: 4 })).rejects.toMatchObject({
        type: 'tool_input_validation',
      });
    }
    await expect(call(createReadTool, { path: 'a', offset: 0 })).rejects.toThrow(/offset: .*>=1/);
    await expect(call(createWriteTool, { path: 'a', content: 'x', mode: 7 })).rejects.toThrow(/mode/);
    expect(await env.exists('a')).toBe(false);
  });

  it('change one file in call order, and look at their signal after the wait (BLT-01, BLT-02)', async () => {
    const order: string[] = [];
    let letGo = () => {};
    const slow: SessionEnv = {
      ...env,
      async writeFile(path, content) {
        order.push(`start ${content}`);
        if (content === 'one') await new Promise<void>((resolve) => (letGo = resolve));
        await env.writeFile(path, content);
        order.push(`end ${content}`);
      },
    };
    const tool = createWriteTool(slow);
    const aborting = new AbortController();
    const first = tool.execute('1', { path: 'f', content: 'one' }, aborting.signal);
    const second = tool.execute('2', { path: './f', content: 'two' });
    const third = tool.execute('3', { path: 'f', content: 'three' }, aborting.signal);
    await tool.execute('4', { path: 'other', content: 'four' });
    aborting.abort(new Error('stopped'));
    letGo();
    await first;
    await second;
    await expect(third).rejects.toThrow('stopped');
    expect(order).toEqual(['start one', 'start four', 'end four', 'end one', 'start two', 'end two']);
    expect(await env.readFile('f')).toBe('two');
  });
});

it('works on files without a shell, save `bash` itself (TFAC-04)', async () => {
  env = { ...env, exec: () => Promise.reject(new Error('there is no shell')) };
  await textOf(createWriteTool, { path: 'a', content: 'one' });
  await textOf(createEditTool, { path: 'a', oldText: 'one', newText: 'two' });
  expect(await textOf(createReadTool, { path: 'a' })).toBe('two');
  expect(await textOf(createGrepTool, { pattern: 'two' })).toBe('a:1:two');
  expect(await textOf(createGlobTool, { pattern: '*' })).toBe('a');
  await expect(call(createBashTool, { command: 'true' })).rejects.toThrow('there is no shell');
});

describe('read', () => {
  it('shows text a page at a time, and says where to read on (TRD-01, TRD-02, BLT-03, BLT-04)', async () => {
    await env.writeFile('a', lines(2500));
    const { text, details } = await call(createReadTool, { path: 'a' });
    expect(text).toMatch(/line 2000\n\[lines 1 to 2000 of 2500; read on with offset 2001\]$/);
    expect(details).toEqual({ path: 'a', lines: 2500, from: 1, to: 2000, bytes: 23_893, truncated: true });
    expect(await textOf(createReadTool, { path: 'a', offset: 2500 })).toBe('line 2500');
    await env.writeFile('wide', `${'x'.repeat(30_000)}\n${'y'.repeat(30_000)}\n`);
    expect(await textOf(createReadTool, { path: 'wide' })).toMatch(
      /x\n\[lines 1 to 1 of 2; read on with offset 2\]$/,
    );
  });

  it('names the count of lines when asked beyond the end (TRD-03)', async () => {
    await env.writeFile('a', lines(3));
    await expect(call(createReadTool, { path: 'a', offset: 4 })).rejects.toThrow('The file has 3 lines');
  });

  it('cuts a line that is larger than a page at a character, and names a command for the rest (TRD-04)', async () => {
    const line = `x${'ä'.repeat(30_000)}`;
    await env.writeFile('a', `${line}\nnext\n`);
    const [shown, note] = (await textOf(createReadTool, { path: 'a' })).split('\n');
    const command = /shows the rest: (.*); read on with offset 2/.exec(note!)![1]!;
    expect(note).toContain('line 1 has 60001 bytes');
    expect(shown + (await env.exec(command)).stdout).toBe(`${line}\n`);
  });

  it('keeps line ends and a byte-order mark, and tells of an empty file (TRD-05)', async () => {
    await env.writeFile('a', '\ufeffone\r\ntwo\r\n');
    expect(await textOf(createReadTool, { path: 'a' })).toBe('\ufeffone\r\ntwo\r');
    await env.writeFile('b', '');
    expect(await textOf(createReadTool, { path: 'b' })).toBe('(empty file)');
  });

  it('refuses what is no text, and lists a directory (TRD-06)', async () => {
    await env.writeFile('d/logo.png', new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0]));
    await expect(call(createReadTool, { path: 'd/logo.png' })).rejects.toThrow('a PNG image, 6 bytes');
    await expect(call(createReadTool, { path: 'd' })).rejects.toThrow(/EISDIR: .*logo\.png/);
    await expect(call(createReadTool, { path: 'nope' })).rejects.toThrow(/^ENOENT: /);
  });
});

describe('write', () => {
  it('creates with parents, overwrites, and says which (TWR-01)', async () => {
    expect(await call(createWriteTool, { path: 'a/b', content: 'ä' })).toEqual({
      text: 'Created a/b (2 bytes).',
      details: { path: 'a/b', bytes: 2, created: true },
    });
    expect(await textOf(createWriteTool, { path: 'a/b', content: '' })).toBe('Overwrote a/b (0 bytes).');
    expect(await env.readFile('a/b')).toBe('');
  });

  it('refuses too much, and a directory, and changes nothing (TWR-02)', async () => {
    const content = 'x'.repeat(5 * 1024 * 1024 + 1);
    await expect(call(createWriteTool, { path: 'a', content })).rejects.toThrow('Nothing was written');
    await env.mkdir('d');
    await expect(call(createWriteTool, { path: 'd', content: 'x' })).rejects.toThrow(/^EISDIR/);
    expect(await env.readdir('.')).toEqual(['d']);
  });
});

describe('edit', () => {
  const edit = (params: object) => call(createEditTool, { path: 'a', ...params });

  it('replaces the one occurrence literally, and quotes the place (TED-01, TED-03, TED-05)', async () => {
    await env.writeFile('a', lines(9).replace('line 5', 'price: 5'));
    const { text, details } = await edit({ oldText: 'price: 5', newText: "$& $' \\1\nnew" });
    expect(await env.readFile('a')).toContain("line 4\n$& $' \\1\nnew\nline 6");
    expect(text).toBe(
      "Replaced 1 occurrence in a.\n3: line 3\n4: line 4\n5: $& $' \\1\n6: new\n7: line 6\n8: line 7",
    );
    expect(details).toEqual({ path: 'a', replacements: 1, firstLine: 5 });
    const long = await edit({ oldText: 'new', newText: lines(100) });
    expect(long.text.split('\n')).toHaveLength(42);
    expect(long.text).toMatch(/\[\d+ more lines\]$/);
  });

  it('needs exactly one occurrence unless it may replace all (TED-01, TED-02, TED-03)', async () => {
    await env.writeFile('a', 'x\n  y = 1\nx\n');
    await expect(edit({ oldText: 'x', newText: 'z' })).rejects.toThrow(
      'occurs 2 times in a, at the lines 1, 3.',
    );
    await expect(edit({ oldText: '\ty=1', newText: 'z' })).rejects.toThrow(
      /indentation.* Line 2 matches when whitespace is ignored/,
    );
    for (const wrong of [
      { oldText: '', newText: 'z' },
      { oldText: 'x', newText: 'x', replaceAll: true },
    ]) {
      await expect(edit(wrong)).rejects.toThrow();
    }
    expect(await env.readFile('a')).toBe('x\n  y = 1\nx\n');
    const { text, details } = await edit({ oldText: 'x', newText: 'z', replaceAll: true });
    expect(text).toMatch(/^Replaced 2 occurrences/);
    expect(details).toMatchObject({ replacements: 2 });
    expect(await env.readFile('a')).toBe('z\n  y = 1\nz\n');
  });

  it('matches what stands there also where line ends are mixed (TED-01, TED-04)', async () => {
    await env.writeFile('mixed', 'a\r\nb\nc\nd\r\ne\r\n');
    await call(createEditTool, { path: 'mixed', oldText: 'b\nc', newText: 'B\nC' });
    await call(createEditTool, { path: 'mixed', oldText: 'd\ne', newText: 'D\nE' });
    expect(await env.readFile('mixed')).toBe('a\r\nB\nC\nD\r\nE\r\n');
  });

  it('leaves a file alone whose bytes are no UTF-8 (TED-01)', async () => {
    const latin = Uint8Array.of(0x61, 0xe9, 0x0a, 0x62);
    await env.writeFile('latin', latin);
    await expect(call(createEditTool, { path: 'latin', oldText: 'b', newText: 'c' })).rejects.toThrow(
      /UTF-8/,
    );
    expect(await env.readFileBuffer('latin')).toEqual(latin);
  });

  it('matches LF in a file with CRLF, and keeps both CRLF and a byte-order mark (TED-04)', async () => {
    await env.writeFile('a', '\ufeffone\r\ntwo\r\nthree\r\n');
    await edit({ oldText: 'one\ntwo', newText: '1\n2' });
    expect(await env.readFileBuffer('a')).toEqual(new TextEncoder().encode('\ufeff1\r\n2\r\nthree\r\n'));
  });
});

describe('bash', () => {
  const bash = (params: object) => call(createBashTool, params);

  it('returns what a command printed, and its code when it is not 0 (TBS-01, TBS-02)', async () => {
    expect((await bash({ command: 'echo out; echo err >&2; exit 3' })).text).toBe('out\nerr\n[exit code 3]');
    const { text, details } = await bash({ command: 'true' });
    expect(text).toBe('(no output)');
    expect(details).toMatchObject({ command: 'true', exitCode: 0, timedOut: false, truncated: false });
  });

  it('ends at its limit with the output so far (TBS-03)', async () => {
    const { text, details } = await bash({ command: 'sleep 30', timeout: 0.05 });
    expect(text).toMatch(/took longer than its limit of 50 ms\.\n\[exit code 124\]$/);
    expect(details).toMatchObject({ exitCode: 124, timedOut: true });
    const own = await bash({ command: 'exit 124' });
    expect(own.details).toMatchObject({ exitCode: 124, timedOut: false });
    for (const timeout of [0, 3601]) {
      await expect(bash({ command: 'true', timeout })).rejects.toThrow(/timeout/);
    }
  });

  it('is aborted by its caller, which is no result (TBS-04)', async () => {
    const controller = new AbortController();
    const { exec } = env;
    env.exec = (...args) => {
      queueMicrotask(() => controller.abort()); // while the command runs
      return exec(...args);
    };
    const running = call(createBashTool, { command: 'sleep 30' }, controller.signal);
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('keeps the end of long output, and the whole of it in a file (TBS-01, TBS-05)', async () => {
    const { text, details } = await bash({ command: 'seq 3000' });
    const [head, ...shown] = text.split('\n');
    expect(shown).toHaveLength(2000);
    expect(shown.at(-1)).toBe('3000');
    const path = /^\[1000 lines \(\d+ bytes\) before this are left out; the whole output is in (\S+)\]$/.exec(
      head!,
    )![1]!;
    expect(details).toMatchObject({ truncated: true, outputPath: path });
    expect((await env.readFile(path)).split('\n')).toHaveLength(3000);
  });

  it('tells the model that each call is a fresh shell (TBS-06)', () => {
    expect(createBashTool(env).description).toMatch(/fresh shell that starts in the working directory/);
  });

  it('takes no longer for one long line than for many short ones (TBS-07)', () => {
    const started = performance.now();
    expect(plainText('a'.repeat(2_000_000))).toHaveLength(2_000_000);
    expect(plainText(`${'\r'.repeat(500_000)}x`)).toBe('x');
    expect(performance.now() - started).toBeLessThan(2000);
    expect(plainText('10%\r100%\r\nx\r\r\n\r\ny\r')).toBe('100%\nx\n\ny');
  });

  it('takes out what only a terminal understands (TBS-07)', async () => {
    const command = "printf '\\033[31mred\\033[0m\\n10%%\\r50%%\\r100%%\\nbell\\a\\tend\\r\\n'";
    expect((await bash({ command })).text).toBe('red\n100%\nbell\tend');
    expect((await env.exec(command)).stdout).toContain('\u001b[31m');
  });
});

describe('grep', () => {
  const grep = async (params: object) => (await call(createGrepTool, params)).text;
  beforeEach(async () => {
    await env.writeFile('src/b.ts', 'const b = 1;\nimport a\n');
    await env.writeFile('src/a.ts', 'const a1 = 22;\n');
    await env.writeFile('.hidden', 'const h\n');
    await env.writeFile('node_modules/x/i.js', 'const x\n');
    await env.writeFile('.git/HEAD', 'const g\n');
    await env.writeFile('bin', new Uint8Array([0, ...new TextEncoder().encode('const bin')]));
  });

  it('finds lines in order of path and line (TGR-01, TGR-02, TGR-05)', async () => {
    const { text, details } = await call(createGrepTool, { pattern: '^const' });
    expect(text).toBe('.hidden:1:const h\nsrc/a.ts:1:const a1 = 22;\nsrc/b.ts:1:const b = 1;');
    expect(details).toEqual({ matchCount: 3, truncated: false, filesSearched: 3 });
    expect(await grep({ pattern: 'const', path: 'node_modules' })).toBe('node_modules/x/i.js:1:const x');
    expect(await grep({ pattern: 'a', path: 'src/b.ts' })).toBe('src/b.ts:2:import a');
    expect(await grep({ pattern: 'CONST B', ignoreCase: true, include: '*.ts' })).toBe(
      'src/b.ts:1:const b = 1;',
    );
    expect(await grep({ pattern: '1;', literal: true, include: 'src/**' })).toBe('src/b.ts:1:const b = 1;');
  });

  it('says that there is nothing only after a search (TGR-03)', async () => {
    expect(await grep({ pattern: 'absent' })).toBe('No matches found.');
    await expect(grep({ pattern: 'const', path: 'nope' })).rejects.toThrow(/^ENOENT/);
    await expect(grep({ pattern: '(' })).rejects.toThrow(/no regular expression: .*group/);
  });

  it('takes one dialect, POSIX classes included (TGR-04)', async () => {
    expect(await grep({ pattern: 'a[[:digit:]]+ = \\d{2}' })).toBe('src/a.ts:1:const a1 = 22;');
    await env.writeFile('u', 'naïve 😀!\n');
    expect(await grep({ pattern: '\\p{Emoji}!$', path: 'u' })).toBe('u:1:naïve 😀!');
    expect(await grep({ pattern: 'na\\ïve', path: 'u' })).toBe('u:1:naïve 😀!');
  });

  it('bounds matches and lines, and says how many there are (TGR-02)', async () => {
    await env.writeFile('many', `${'match\n'.repeat(150)}match ${'x'.repeat(600)}\n`);
    const shown = (await grep({ pattern: 'match', path: 'many' })).split('\n');
    expect(shown).toHaveLength(101);
    expect(shown.at(-1)).toBe('[100 of 151 matches are shown]');
    expect((await grep({ pattern: 'x{600}', path: 'many' })).length).toBe('many:151:'.length + 501);
  });

  it('names the files that are too large (TGR-06)', async () => {
    await env.writeFile('large', 'z'.repeat(5 * 1024 * 1024 + 1));
    expect(await grep({ pattern: 'zz' })).toBe(
      'Nothing was found so far.\n[1 files over 5242880 bytes were skipped]',
    );
  });

  it('ends a pattern that runs away, and stalls nobody meanwhile (SRCH-01, TGR-06)', async () => {
    await env.writeFile('slow', `${'a'.repeat(40)}b\n`);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 20);
    const text = await grep({ pattern: '^(a+)+$', path: 'slow' });
    clearInterval(timer);
    expect(text).toMatch(/the search was ended after 10 s with 0 of 1 files searched/);
    expect(ticks).toBeGreaterThan(50);
  });
});

describe('glob', () => {
  const glob = async (params: object) => (await call(createGlobTool, params)).text;
  beforeEach(async () => {
    for (const path of ['a.ts', 'src/b.ts', 'src/deep/c.ts', 'src/d.js', 'node_modules/n.ts', '.env.ts']) {
      await env.writeFile(path, '');
    }
  });

  it('matches names at any depth, and paths with a slash (TGB-01, TGB-02)', async () => {
    expect(await glob({ pattern: '*.ts' })).toBe('.env.ts\na.ts\nsrc/b.ts\nsrc/deep/c.ts');
    expect(await glob({ pattern: 'src/*.{ts,js}' })).toBe('src/b.ts\nsrc/d.js');
    expect(await glob({ pattern: '**/[bc].t?' })).toBe('src/b.ts\nsrc/deep/c.ts');
    expect(await glob({ pattern: 'deep/*', path: 'src' })).toBe('src/deep/c.ts');
    expect(await glob({ pattern: '*', path: '/tmp' })).toBe('No files found.');
  });

  it('bounds its result (TGB-02)', async () => {
    for (let n = 0; n < 1001; n++) await env.writeFile(`many/${n}`, '');
    const shown = (await glob({ pattern: 'many/*' })).split('\n');
    expect(shown).toHaveLength(1001);
    expect(shown.at(-1)).toBe('[1000 of 1001 files are shown]');
  });

  it('fails for what is no directory (TGB-03)', async () => {
    await expect(glob({ pattern: '{a,b}'.repeat(40) })).rejects.toThrow(/more than 1000 patterns/);
    await expect(glob({ pattern: '*', path: 'nope' })).rejects.toThrow(/^ENOENT/);
    await expect(glob({ pattern: '*', path: 'a.ts' })).rejects.toThrow(/^ENOTDIR/);
  });
});
