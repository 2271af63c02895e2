import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { askedOnce, measureCompilers, openProbes } from './measurements/compilers.ts';
import { withFolder } from './support/folder.ts';
import type { Line } from './support/measurement.ts';
import { FROM_SOURCES, openSourceProbe } from './support/probe.ts';
import { formatTable } from './support/report.ts';
import { grossMisses, keepResults, type Results } from './support/results.ts';
import { type Cost, openMeter, type Tools } from './support/typescript-peers.ts';

const workspace = fileURLToPath(new URL('../..', import.meta.url));

/** The workspace's own compilers: nothing is installed for a test, so tsc 6 stands for the peers that would be. */
function toolsOfWorkspace(folder: string): Tools {
  const program = join(folder, 'flue.mjs');
  const main = JSON.stringify(join(workspace, 'compiler/src/cli/main.ts'));
  writeFileSync(
    program,
    `import { run } from ${main};\nprocess.exitCode = await run(process.argv.slice(2));\n`,
  );
  const flue = openMeter(folder, FROM_SOURCES);
  const plain = openMeter(folder);
  const tsc = (root: string) =>
    plain(join(workspace, 'node_modules/typescript/bin/tsc'), ['--noEmit', '-p', root], root);
  // What several rows ask for is measured once, since a test only wants to see that it is asked for.
  const known = new Map<string, Promise<Cost>>();
  return {
    flue(root, ...args) {
      const key = [root, ...args].join(' ');
      const cost = known.get(key) ?? flue(program, [...args, '--cwd', root], root);
      known.set(key, cost);
      return cost;
    },
    tsc6: tsc,
    tsc7: tsc,
    eslint: tsc,
  };
}

/** Rows of all kinds, measured once on a corpus of ten agents: what it says of time is of no interest here. */
let lines: Line[];
beforeAll(async () => {
  await withFolder(async (folder) => {
    const tools = join(folder, 'tools');
    mkdirSync(tools);
    const bench = {
      folder,
      tools: askedOnce(toolsOfWorkspace(tools)),
      probes: await openProbes(openSourceProbe),
      agents: 10,
      rounds: 1,
      branches: 100,
    };
    lines = await measureCompilers(bench, [
      'cold',
      'undecidedByForm',
      'scaling',
      'builds',
      'bodies',
      'timePerRule',
    ]);
  });
}, 900_000);

const rowsOf = (clause: string) => lines.filter(({ target }) => target.startsWith(`${clause} `));

describe('the bench of the compiler', () => {
  it.each([
    ['PERF-01', 2, 'ms', [0.25, 0.4]],
    ['PERF-02', 1, 'ms', [0.95]],
    ['PERF-03', 1, 'ms', [0.85]],
    ['PERF-08', 1, 'MB', [0.45]],
    ['PERF-13', 1, 'ms', [12]],
    ['PERF-14', 2, 'ms', [1.6, 1.05]],
    ['PERF-16', 3, 'ms', [2, 2, 2]],
  ] as const)(
    'measures %s beside its peer, as a ratio with its spread (PERF-17)',
    (clause, count, unit, limits) => {
      const rows = rowsOf(clause);
      expect(rows).toHaveLength(count);
      expect(rows.map(({ target }) => Number(/<= ([\d.]+)/.exec(target)?.[1]))).toEqual(limits);
      for (const { ours, peer, ratio, spread, unit: measured } of rows) {
        expect(measured).toBe(unit);
        expect(ours).toBeGreaterThan(0);
        expect(peer).toBeGreaterThan(0);
        expect(ratio).toBeCloseTo(ours / peer);
        expect(spread).toEqual([ratio, ratio]);
      }
    },
  );

  it('asks for all types where types are what is measured (PERF-02, PERF-03)', () => {
    expect(rowsOf('PERF-02')[0]?.what).toContain('--types=all');
    expect(rowsOf('PERF-03')[0]?.what).toContain('without output schemas');
  });

  it('compares memory with that of tsc, and time with a tenth of the agents (PERF-08, PERF-13)', () => {
    expect(rowsOf('PERF-08')[0]).toMatchObject({ beside: 'tsc 6 --noEmit' });
    expect(rowsOf('PERF-13')[0]).toMatchObject({
      what: expect.stringContaining('10 agents'),
      beside: '1 agents cold',
    });
  });

  it('compares a build with one without the plugin, with facts known and cold (PERF-14)', () => {
    expect(rowsOf('PERF-14').map(({ what }) => what)).toEqual([
      expect.stringContaining('cold'),
      expect.stringContaining('facts known'),
    ]);
    expect(new Set(rowsOf('PERF-14').map(({ beside }) => beside))).toEqual(
      new Set(['vite build without it']),
    );
  });

  it('compares bodies of many paths with bodies as long (PERF-16)', () => {
    expect(rowsOf('PERF-16').map(({ what }) => what)).toEqual([
      '40 conditionals around 10 hooks',
      'a body of 2,000 branches',
      'a chain of 60 hooks',
    ]);
  });

  it('tells the time of each rule, the dearest first, and keeps all of it for machines (PERF-17)', async () => {
    const rules = lines.filter(({ what }) => /^FLUE\d{4}$/.test(what));
    expect(rules.length).toBeGreaterThan(60);
    expect(rules.map(({ ours }) => ours)).toEqual(rules.map(({ ours }) => ours).sort((a, b) => b - a));
    for (const { ours, peer } of rules) expect(ours).toBeLessThan(peer);
    await withFolder(async (folder) => {
      const path = keepResults(folder, lines, new Date(0));
      const kept = JSON.parse(readFileSync(path, 'utf8')) as Results;
      expect(kept).toMatchObject({ version: 1, at: '1970-01-01T00:00:00.000Z', node: process.version });
      expect(kept.lines).toEqual(lines);
    });
    const table = formatTable(lines);
    for (const { what } of lines) expect(table).toContain(what);
  });

  it('fails CI only for what is beyond twice its target (PERF-17)', () => {
    const row = (target: string, ratio: number) => ({ ...lines[0]!, target, ratio });
    const missed = [row('PERF-04 <= 0.05, < 600 ms', 0.11), row('PERF-16 <= 2', 4.1)];
    const passed = [row('PERF-04 <= 0.05, < 600 ms', 0.1), row('< 200 ms', 90), row('', 3)];
    expect(grossMisses([...passed, ...missed])).toEqual(missed);
  });

  it('asks each peer once about each project in its short form (PERF-17)', async () => {
    const asked: string[] = [];
    const tool = (name: string) => async (root: string) => {
      asked.push(`${name} ${root}`);
      return { wall: 1, memory: 1 };
    };
    const once = askedOnce({
      flue: tool('flue'),
      tsc6: tool('tsc6'),
      tsc7: tool('tsc7'),
      eslint: tool('eslint'),
    });
    for (const root of ['a', 'a', 'b'])
      await Promise.all([once.flue(root), once.tsc6(root), once.eslint(root)]);
    expect(asked.sort()).toEqual(['eslint a', 'eslint b', 'flue a', 'flue a', 'flue b', 'tsc6 a', 'tsc6 b']);
  });
});
