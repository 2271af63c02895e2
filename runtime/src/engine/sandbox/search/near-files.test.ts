import { beforeEach, describe, expect, it } from 'vitest';
import { createSandboxSessionEnv } from '../../../adapters/sandbox/session-env.ts';
import { virtual } from '../../../adapters/sandbox/virtual.ts';
import type { GlobQuery, GrepQuery, SearchBackend, SessionEnv } from '../../../ports/sandbox.ts';
import { withCwd } from '../overlay.ts';
import { createGlobTool } from '../tools/glob.ts';
import { createGrepTool } from '../tools/grep.ts';

let base: SessionEnv;
beforeEach(async () => {
  base = await virtual({ files: { 'src/a': 'x', '/other/b': 'x' } }).createSessionEnv({ id: 'a' });
});

/** An adapter's environment with a search of its own, which hears what it is asked. */
function searching(answers: { grep?: unknown; glob?: unknown }): {
  env: SessionEnv;
  asked: (GrepQuery | GlobQuery)[];
} {
  const asked: (GrepQuery | GlobQuery)[] = [];
  const answer = async (query: GrepQuery | GlobQuery, given: unknown) => {
    asked.push(query);
    if (given instanceof Error) throw given;
    return given as never;
  };
  const search: SearchBackend = {
    grep: (query) => answer(query, answers.grep),
    glob: (query) => answer(query, answers.glob),
  };
  const walked = () => Promise.reject(new Error('walked'));
  const api = { ...base, readdir: walked, readFileBuffer: walked, search };
  return { env: createSandboxSessionEnv(api, '/workspace'), asked };
}

async function run(tool: ReturnType<typeof createGrepTool>, params: object, signal?: AbortSignal) {
  const { content, details } = await tool.execute('c', params, signal);
  return { text: content.map((part) => ('text' in part ? part.text : '')).join(''), details };
}

describe("an adapter's own search", () => {
  it('answers grep in place of a walk; order and cutting are the tool’s (SRCH-02, TGR-02)', async () => {
    const { env, asked } = searching({
      grep: {
        matches: [
          { path: '/workspace/src/b', line: 2, text: 'two' },
          { path: '/workspace/src/./b', line: 1, text: 'y'.repeat(600) },
          { path: '/other/a', line: 7, text: 'seven' },
        ],
        count: 12,
        filesSearched: 3,
        limits: ['only 3 files were searched'],
      },
    });
    const { text, details } = await run(createGrepTool(withCwd(env, '/workspace/src')), {
      pattern: '[[:digit:]]+',
      path: '..',
      include: '*.ts',
    });
    expect(text.split('\n')).toEqual([
      '/other/a:7:seven',
      `b:1:${'y'.repeat(500)}…`,
      'b:2:two',
      '[3 of 12 matches are shown]',
      '[only 3 files were searched]',
    ]);
    expect(details).toEqual({ matchCount: 12, truncated: true, filesSearched: 3 });
    expect(asked).toEqual([
      {
        ...{ pattern: '[0-9]+', literal: false, ignoreCase: false, include: '*.ts', limit: 100 },
        path: '/workspace',
        signal: expect.any(AbortSignal),
      },
    ]);
  });

  it('answers glob in place of a walk (SRCH-02, TGB-02)', async () => {
    const paths = Array.from({ length: 1001 }, (_, n) => `/workspace/${n}`);
    const { env, asked } = searching({ glob: { paths } });
    const { text } = await run(createGlobTool(env), { pattern: '*' });
    const lines = text.split('\n');
    expect([lines.length, lines[0], lines[2], lines.at(-1)]).toEqual([
      1001,
      '0',
      '10',
      '[1000 of 1001 files are shown]',
    ]);
    expect(asked).toMatchObject([{ pattern: '*', path: '/workspace', limit: 1000 }]);
  });

  it('that finds nothing, fails or answers nonsense is told apart (SRCH-02, TGR-03)', async () => {
    const none = searching({ grep: { matches: [] }, glob: { paths: [] } });
    expect((await run(createGrepTool(none.env), { pattern: 'x' })).text).toBe('No matches found.');
    expect((await run(createGlobTool(none.env), { pattern: 'x' })).text).toBe('No files found.');
    for (const missing of [createGrepTool(none.env), createGlobTool(none.env)])
      await expect(run(missing, { pattern: 'x', path: 'nope' })).rejects.toThrow(/^ENOENT/);
    await expect(run(createGrepTool(none.env), { pattern: '(' })).rejects.toThrow(/no regular expression/);
    expect(none.asked).toHaveLength(2);
    const failing = searching({ grep: new Error('rg is not installed'), glob: new Error('no fd') });
    await expect(run(createGrepTool(failing.env), { pattern: 'x' })).rejects.toThrow('rg is not installed');
    await expect(run(createGlobTool(failing.env), { pattern: 'x' })).rejects.toThrow('no fd');
    const broken = searching({ grep: { matches: [{ path: 'a', line: 1, text: '' }] }, glob: undefined });
    await expect(run(createGrepTool(broken.env), { pattern: 'x' })).rejects.toThrow(/matches that its grep/);
    await expect(run(createGlobTool(broken.env), { pattern: 'x' })).rejects.toThrow(/paths that its glob/);
  });

  it('that never answers is left at the signal of the call (SRCH-02, BLT-02)', async () => {
    const { env, asked } = searching({ grep: new Promise(() => {}) });
    const stop = new AbortController();
    const searched = run(createGrepTool(env), { pattern: 'x' }, stop.signal);
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error('enough'));
    await expect(searched).rejects.toThrow('enough');
    expect(asked[0]!.signal.aborted).toBe(true);
  });
});

describe('a walk', () => {
  it('makes at most 16 verb calls at a time, and no fewer where there is work (SRCH-02)', async () => {
    for (let n = 0; n < 40; n++) await base.writeFile(`d${n}/f`, 'match');
    let now = 0;
    let most = 0;
    const counted =
      <A extends unknown[], R>(verb: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        return verb(...args).finally(() => now--);
      };
    const env: SessionEnv = {
      ...base,
      stat: counted(base.stat),
      readdir: counted(base.readdir),
      readFileBuffer: counted(base.readFileBuffer),
    };
    const { details } = await run(createGrepTool(env), { pattern: 'match' });
    expect(details).toMatchObject({ matchCount: 40 });
    expect(most).toBe(16);
  });
});
