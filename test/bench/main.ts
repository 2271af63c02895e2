import { fileURLToPath } from 'node:url';
import { backlog } from './measurements/backlog.ts';
import { boot } from './measurements/boot.ts';
import { check } from './measurements/check.ts';
import { compilers } from './measurements/compilers.ts';
import { dispatches } from './measurements/dispatches.ts';
import { growth } from './measurements/growth.ts';
import { importTime } from './measurements/import.ts';
import { memory } from './measurements/memory.ts';
import { peers } from './measurements/peers.ts';
import { render } from './measurements/render.ts';
import { replies } from './measurements/replies.ts';
import { scale } from './measurements/scale.ts';
import { statements } from './measurements/statements.ts';
import { stored } from './measurements/stored.ts';
import { turns } from './measurements/turns.ts';
import type { Line } from './support/measurement.ts';
import { formatTable } from './support/report.ts';
import { grossMisses, keepResults } from './support/results.ts';
import { countSqliteCalls } from './support/sqlite-calls.ts';

/*
 * npm run bench -- [NAME...] [--long | --short] [--json] [--verbose]
 *
 * Ratios of what stands side by side in one run, also kept as JSON in test/bench/.results. No number passes or fails:
 * machines differ, and one run of a loaded machine proves nothing. Only --short, which is for CI, exits with 1, and only
 * for a row that is beyond twice its target.
 */
const MEASUREMENTS = [
  dispatches,
  replies,
  statements,
  turns,
  growth,
  scale,
  backlog,
  stored,
  boot,
  importTime,
  memory,
  render,
  check,
];

/** Run only by name: they install what they compare with. */
const ON_DEMAND = [peers, compilers];

const FLAGS = ['--long', '--short', '--json', '--verbose'];

const args = process.argv.slice(2);
const [long, short, json, verbose] = FLAGS.map((flag) => args.includes(flag)) as [
  boolean,
  boolean,
  boolean,
  boolean,
];
const names = args.filter((arg) => !arg.startsWith('--'));
const known = [...[...MEASUREMENTS, ...ON_DEMAND].map(({ name }) => name), ...FLAGS];
const unknown = args.filter((arg) => !known.includes(arg));
if (unknown.length > 0) {
  console.error(`bench does not know ${unknown.join(', ')}. It takes: ${known.join(', ')}.`);
  process.exit(2);
}

if (long && short) {
  console.error('bench takes one of --long and --short.');
  process.exit(2);
}

countSqliteCalls();
const lines: Line[] = [];
const chosen = [...MEASUREMENTS, ...ON_DEMAND].filter(({ name }) => names.includes(name));
for (const { name, run } of names.length > 0 ? chosen : MEASUREMENTS) {
  const began = performance.now();
  lines.push(...(await run({ long, short, verbose })));
  console.error(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
}
const kept = keepResults(fileURLToPath(new URL('.results', import.meta.url)), lines, new Date());
console.error(`kept in ${kept}`);
console.log(json ? JSON.stringify(lines, null, 2) : formatTable(lines));

const missed = short ? grossMisses(lines) : [];
for (const { what, ratio, target } of missed) {
  console.error(`far off its target: ${what}, ${ratio.toFixed(2)} (${target})`);
}
if (missed.length > 0) process.exitCode = 1;
