/**
 * Builds every package that ships JavaScript: `tsc -b` for the ES module packages, one esbuild bundle for the
 * editor plugin, which tsserver `require`s. Both only redo what changed.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { buildInputs, buildStamp, emitted, fail, filesBelow, root, run, say } from './workspace.mjs';

const MODULE_FILE = /(\.d)?\.[cm]?[jt]sx?(\.map)?$/;
/** What the tsconfigs exclude: files that are input of tests. */
const NOT_COMPILED = /(^|[\\/])(examples|pairs)[\\/]/;

const startedAt = Date.now();
// Read before the work: a file saved during the build must count as newer than it.
const inputs = buildInputs();
rmSync(buildStamp, { force: true });

const tsc = join(root, 'node_modules/typescript/bin/tsc');
if (!existsSync(tsc))
  fail('TypeScript is not installed.', 'Run `npm run build`, which installs what is missing.');

const plugin = join(root, 'ts-plugin');
const hasPlugin = existsSync(join(plugin, 'src/index.ts'));

for (const name of [...emitted, 'ts-plugin']) settleOutput(join(root, name));
compile([...emitted, ...(hasPlugin ? ['ts-plugin'] : [])]);
if (hasPlugin) {
  // Loaded late: where nothing is installed, the words above should come first.
  const { bundlePlugin } = await import('./bundle-plugin.mjs');
  await bundlePlugin(join(plugin, 'dist/index.cjs')).catch(() =>
    fail('The editor plugin could not be bundled.', 'esbuild names the place above.'),
  );
}

mkdirSync(dirname(buildStamp), { recursive: true });
writeFileSync(buildStamp, inputs);
say(`Built in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`);

function compile(packages) {
  const done = run(process.execPath, [tsc, '-b', ...packages]);
  if (!done.ok) fail(`The packages do not compile (tsc: ${done.why}).`, 'Each place is listed above.');
}

/**
 * `tsc -b` never deletes what a removed source left behind, which would stay importable and be published; and it
 * trusts its notes, by time, about what it emitted. So orphans go, and when sources and output differ, the notes too.
 */
function settleOutput(folder) {
  const dist = join(folder, 'dist');
  const sources = new Set(modulesBelow(join(folder, 'src')).map(([module]) => module));
  const outputs = modulesBelow(dist);
  const orphans = outputs.filter(([module]) => !sources.has(module));
  for (const [, path] of orphans) rmSync(path);
  const built = new Set(outputs.map(([module]) => module));
  if (orphans.length > 0 || [...sources].some((module) => !built.has(module))) {
    rmSync(join(folder, 'tsconfig.tsbuildinfo'), { force: true });
  }
}

/** Pairs of module and file, where `a.ts`, `a.js`, `a.d.ts` and `a.js.map` belong to the module `a`. */
function modulesBelow(folder) {
  return filesBelow(folder)
    .map((path) => [relative(folder, path), path])
    .filter(([name]) => MODULE_FILE.test(name) && !NOT_COMPILED.test(name))
    .map(([name, path]) => [name.replace(MODULE_FILE, ''), path]);
}
