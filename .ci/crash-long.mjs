/** `npm run test:crash:long [kills] [seed]`: the crash suite with more kills than a pull request can wait for. */
import { fail, root, run, say } from './workspace.mjs';

const [kills = '3000', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
for (const value of [kills, seed]) {
  if (!/^[1-9]\d*$/.test(value)) fail(`"${value}" is no positive number.`, 'npm run test:crash:long 3000 7');
}

say(`${kills} kills, seed ${seed}; the same two numbers repeat it.`);
const startedAt = Date.now();
const done = run(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', 'test/crash'],
  { cwd: root, env: { ...process.env, FLUE_CRASH_KILLS: kills, FLUE_CRASH_SEED: seed } },
);
if (!done.ok) fail(`The suite failed (${done.why}).`, 'The failure names the seed of its file.');
say(`${kills} kills in ${Math.round((Date.now() - startedAt) / 1000)} s.`);
