import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentProject, writeAgentProject } from '../support/agent-project.ts';
import { withFolder } from '../support/folder.ts';
import { compare, type Line, lineOf, type Measurement, type Pair } from '../support/measurement.ts';
import { openProbe, type Probe } from '../support/probe.ts';
import { type Cost, openTools, type Tools } from '../support/typescript-peers.ts';

const TSC_6 = 'tsc 6 --noEmit';
const TSC_7 = 'tsc 7 --noEmit';
const ESLINT = 'eslint, rules-of-hooks alone';
const COLD = 'the same, cold';

/** The rows of the performance targets whose peers are installed for it: TypeScript 6 and 7, and eslint. */
export const compilers: Measurement = {
  name: 'compilers',
  run: ({ long, short }) =>
    withFolder(async (folder) => {
      const tools = await openTools(join(folder, 'tools'));
      return measureCompilers({
        folder,
        tools: short ? askedOnce(tools) : tools,
        probes: await openProbes((module) => openProbe(module, folder)),
        agents: long || short ? 1000 : 100,
        rounds: short ? 1 : long ? 5 : 3,
        told: console.error,
      });
    }),
};

interface Bench {
  readonly folder: string;
  readonly tools: Tools;
  readonly probes: Probes;
  /** agent modules of the large corpus; at least 10 */
  readonly agents: number;
  readonly rounds: number;
  /** of the generated body; default 2,000 */
  readonly branches?: number;
  /** gets a line after each group of rows */
  readonly told?: (line: string) => void;
}

const PROBES = ['recheck', 'read', 'bodies', 'vite-build', 'rule-times'] as const;
type Probes = Readonly<Record<(typeof PROBES)[number], Probe>>;

/** `open` makes one of the probe's module. */
export async function openProbes(open: (module: URL) => Probe | Promise<Probe>): Promise<Probes> {
  const probes = PROBES.map(
    async (name) => [name, await open(new URL(`../probes/${name}.ts`, import.meta.url))] as const,
  );
  return Object.fromEntries(await Promise.all(probes)) as Probes;
}

/** Peers cost most of the time, and what they cost does not depend on what we changed. */
export function askedOnce(tools: Tools): Tools {
  const known = new Map<string, Promise<Cost>>();
  const once = (tool: 'tsc6' | 'tsc7' | 'eslint') => (root: string) => {
    const key = `${tool} ${root}`;
    const cost = known.get(key) ?? tools[tool](root);
    known.set(key, cost);
    return cost;
  };
  return { flue: tools.flue, tsc6: once('tsc6'), tsc7: once('tsc7'), eslint: once('eslint') };
}

const ROWS = {
  cold,
  undecidedByForm,
  warm,
  scaling,
  fewMarked,
  builds,
  bodies,
  timePerRule,
} satisfies Record<string, (bench: Bench) => Promise<Line[]>>;

/** All rows, or those of these names. */
export async function measureCompilers(
  bench: Bench,
  names: readonly (keyof typeof ROWS)[] = Object.keys(ROWS) as (keyof typeof ROWS)[],
): Promise<Line[]> {
  const lines: Line[] = [];
  for (const name of names) {
    const began = performance.now();
    lines.push(...(await ROWS[name](bench)));
    // The whole takes minutes, and silence would look like a hang.
    bench.told?.(`compilers, ${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  }
  return lines;
}

const wall = async (cost: Promise<Cost>) => (await cost).wall;
const memory = async (cost: Promise<Cost>) => (await cost).memory;

function project({ folder }: Bench, name: string, shape: AgentProject): string {
  const path = join(folder, name);
  writeAgentProject(path, shape);
  return path;
}

async function cold(bench: Bench): Promise<Line[]> {
  const { tools, agents, rounds } = bench;
  const root = project(bench, 'cold', { agents });
  const ours = () => tools.flue(root, 'check', '--no-cache');
  const what = `flue check, ${agents} agent modules, cold`;
  const row = (beside: string, target: string, peer: () => Promise<Cost>) =>
    compare(
      { what, unit: 'ms', beside, target, rounds },
      { ours: () => wall(ours()), peer: () => wall(peer()) },
    );
  return [
    await row(TSC_6, 'PERF-01 <= 0.25', () => tools.tsc6(root)),
    await row(TSC_7, '<= 0.5', () => tools.tsc7(root)),
    await row(ESLINT, 'PERF-01 <= 0.40', () => tools.eslint(root)),
    await compare(
      { what: `${what}, --types=all`, unit: 'ms', beside: TSC_6, target: 'PERF-02 <= 0.95', rounds },
      {
        ours: () => wall(tools.flue(root, 'check', '--no-cache', '--types=all')),
        peer: () => wall(tools.tsc6(root)),
      },
    ),
    await compare(
      { what: `${what}: peak memory`, unit: 'MB', beside: TSC_6, target: 'PERF-08 <= 0.45', rounds },
      { ours: () => memory(ours()), peer: () => memory(tools.tsc6(root)) },
    ),
  ];
}

/** Tools without an output schema: what a result is has to be asked of the type checker. */
async function undecidedByForm(bench: Bench): Promise<Line[]> {
  const { tools, agents, rounds } = bench;
  const root = project(bench, 'untyped', { agents, outputSchemas: false });
  const what = `flue check, ${agents} modules without output schemas, cold`;
  return [
    await compare(
      { what, unit: 'ms', beside: TSC_6, target: 'PERF-03 <= 0.85', rounds },
      { ours: () => wall(tools.flue(root, 'check', '--no-cache')), peer: () => wall(tools.tsc6(root)) },
    ),
  ];
}

async function warm(bench: Bench): Promise<Line[]> {
  const { tools, agents, rounds, probes } = bench;
  const root = project(bench, 'warm', { agents, sharing: agents / 10 });
  const check = () => wall(tools.flue(root, 'check'));
  const edit = (path: string) => appendFileSync(join(root, path), '// edited\n');
  const afterEdit = (path: string) => () => {
    edit(path);
    return check();
  };
  await check();
  const besideTsc = (what: string, target: string, ours: () => Promise<number>) =>
    compare(
      { what, unit: 'ms', beside: TSC_6, target, rounds },
      { ours, peer: () => wall(tools.tsc6(root)) },
    );
  return [
    await besideTsc(`flue check, ${agents} modules, nothing changed`, 'PERF-04 <= 0.05, < 600 ms', check),
    await compare(
      {
        what: 'flue check, one leaf tool changed',
        unit: 'ms',
        beside: 'nothing changed',
        target: 'PERF-05 <= 1.3',
        rounds,
      },
      { ours: afterEdit('src/tools/tool-7.ts'), peer: check },
    ),
    await besideTsc(
      `flue check, a hook of ${agents / 10} agents changed`,
      'PERF-06 <= 0.10',
      afterEdit('src/hooks/use-shared.ts'),
    ),
    await besideTsc('flue generate after a warm check, with client.ts', 'PERF-07 <= 0.60', () =>
      wall(tools.flue(root, 'generate')),
    ),
    await compare(
      {
        what: 'check again after one edit, in a running process',
        unit: 'ms',
        beside: COLD,
        target: '< 200 ms',
        rounds,
      },
      await editingSides(probes.recheck, root, rounds),
    ),
  ];
}

/** One process gives all rounds, since what it measures is that it keeps running. */
async function editingSides(recheck: Probe, root: string, rounds: number) {
  const { cold: first, edits } = await recheck<{ cold: number; edits: number[] }>(root, String(rounds));
  const left = [...edits];
  return { ours: () => left.shift() as number, peer: () => first };
}

async function scaling(bench: Bench): Promise<Line[]> {
  const { tools, agents, rounds } = bench;
  const small = project(bench, 'small', { agents: agents / 10 });
  const large = project(bench, 'large', { agents });
  const check = (root: string) => () => wall(tools.flue(root, 'check', '--no-cache'));
  return [
    await compare(
      {
        what: `flue check, ${agents} agents cold`,
        unit: 'ms',
        beside: `${agents / 10} agents cold`,
        target: 'PERF-13 <= 12',
        rounds,
      },
      { ours: check(large), peer: check(small) },
    ),
  ];
}

/** Nearly every file of an application is none of ours. */
async function fewMarked(bench: Bench): Promise<Line[]> {
  const { tools, rounds } = bench;
  const root = project(bench, 'few', { agents: 10 });
  const files = bench.agents * 5;
  for (let i = 0; i < files; i++) {
    const path = join(root, `src/other/${i % 50}/file-${i}.ts`);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, PLAIN.replaceAll('NAME', `value${i}`));
  }
  const ours = () => tools.flue(root, 'check', '--no-cache');
  const peer = () => bench.probes.read<number>(root);
  const what = `flue check, ${files} files of which 10 are marked, cold`;
  return [
    await compare(
      { what, unit: 'ms', beside: 'reading them', target: '< 2000 ms', rounds },
      { ours: () => wall(ours()), peer },
    ),
    await compare(
      { what: `${what}: peak memory`, unit: 'MB', beside: 'of 10 agents alone', target: '< 300 MB', rounds },
      { ours: () => memory(ours()), peer: () => memory(tools.flue(bareOf(bench), 'check', '--no-cache')) },
    ),
  ];
}

function bareOf(bench: Bench): string {
  const root = join(bench.folder, 'bare');
  rmSync(root, { recursive: true, force: true });
  return project(bench, 'bare', { agents: 10 });
}

/** A build as Vite does it, with the plugin and without (PERF-14). */
async function builds(bench: Bench): Promise<Line[]> {
  const { agents, rounds, probes } = bench;
  const root = project(bench, 'built', { agents });
  const imports = Array.from(
    { length: agents },
    (_, i) => `import * as a${i} from './agents/agent-${i}.ts';`,
  );
  const names = imports.map((_, i) => `a${i}`);
  writeFileSync(
    join(root, 'src/main.ts'),
    `${imports.join('\n')}\nexport const all = [${names.join(', ')}];\n`,
  );
  const build = (plugin: 'with' | 'without') => probes['vite-build']<number>(root, plugin);
  const described = { unit: 'ms', beside: 'vite build without it', rounds } as const;
  const coldBuild = () => {
    rmSync(join(root, '.flue'), { recursive: true, force: true });
    return build('with');
  };
  return [
    await compare(
      {
        ...described,
        what: `vite build with the plugin, ${agents} agent modules, cold`,
        target: 'PERF-14 <= 1.6',
      },
      { ours: coldBuild, peer: () => build('without') },
    ),
    await compare(
      {
        ...described,
        what: `vite build with the plugin, ${agents} modules, facts known`,
        target: 'PERF-14 <= 1.05',
      },
      { ours: () => build('with'), peer: () => build('without') },
    ),
  ];
}

/** Bodies that could make an analysis of paths explode, next to bodies as long without hooks (PERF-16). */
async function bodies({ folder, rounds, probes, branches = 2000 }: Bench): Promise<Line[]> {
  const measured = await probes.bodies<Record<string, Pair[]>>(folder, String(rounds), String(branches));
  return Object.entries(measured).map(([what, pairs]) =>
    lineOf({ what, unit: 'ms', beside: 'as long, without hooks', target: 'PERF-16 <= 2' }, pairs),
  );
}

/** Where the time of a check goes, next to the whole of it (PERF-17). */
async function timePerRule(bench: Bench): Promise<Line[]> {
  const root = project(bench, 'rules', { agents: bench.agents });
  const { whole, rules } = await bench.probes['rule-times']<{ whole: number; rules: Record<string, number> }>(
    root,
  );
  return Object.entries(rules)
    .sort(([, one], [, other]) => other - one)
    .map(([code, ms]) =>
      lineOf({ what: code, unit: 'ms', beside: 'the whole check', target: '' }, [{ ours: ms, peer: whole }]),
    );
}

const PLAIN = `export interface NAMEShape { readonly id: string; readonly lines: readonly string[] }
export function NAME(lines: readonly string[]): NAMEShape {
  return { id: lines.join('-'), lines: lines.filter((line) => line.length > 0) };
}
`.repeat(8);
