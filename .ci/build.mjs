/**
 * Builds every package that ships JavaScript: `tsc -b` for the ES module packages, one esbuild bundle for the
 * editor plugin, which tsserver `require`s. Both only redo what changed.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { buildInputs, buildStamp, emitted, fail, filesBelow, root, run, say } from './workspace.mjs';

const startedAt = Date.now();
// Read before the work: a file saved during the build must count as newer than it.
const inputs = buildInputs();
rmSync(buildStamp, { force: true });

const tsc = join(root, 'node_modules/typescript/bin/tsc');
if (!existsSync(tsc))
  fail('TypeScript is not installed.', 'Run `npm run build`, which installs what is missing.');

const plugin = join(root, 'ts-plugin');
const hasPlugin = existsSync(join(plugin, 'src/index.ts'));

for (const name of [...emitted, 'ts-plugin']) forgetDeletedOutput(join(root, name));
compile([...emitted, ...(hasPlugin ? ['ts-plugin'] : [])]);
for (const name of emitted) removeOrphans(join(root, name));
if (hasPlugin) await bundlePlugin();

mkdirSync(dirname(buildStamp), { recursive: true });
writeFileSync(buildStamp, inputs);
say(`Built in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.`);

function compile(packages) {
  const done = run(process.execPath, [tsc, '-b', ...packages]);
  if (!done.ok) fail(`The packages do not compile (tsc: ${done.why}).`, 'Each place is listed above.');
}

/** `tsc -b` trusts its notes about what it emitted and would not notice that somebody deleted it. */
function forgetDeletedOutput(folder) {
  if (!existsSync(join(folder, 'dist'))) rmSync(join(folder, 'tsconfig.tsbuildinfo'), { force: true });
}

/** `tsc` never deletes: what a renamed or removed source left behind would still be importable and published. */
function removeOrphans(folder) {
  const dist = join(folder, 'dist');
  for (const path of filesBelow(dist)) {
    const stem = relative(dist, path).replace(/(\.d)?\.[cm]?[jt]s(\.map)?$/, '');
    if (path.endsWith('.tsbuildinfo') || stem === relative(dist, path)) continue;
    const source = join(folder, 'src', stem);
    if (!['.ts', '.tsx', '.mts', '.cts'].some((extension) => existsSync(source + extension))) rmSync(path);
  }
}

/** CommonJS with the analysis inside; `typescript` stays out, since the editor hands over its own copy. */
async function bundlePlugin() {
  const { build } = await import('esbuild');
  try {
    await build({
      absWorkingDir: plugin,
      entryPoints: ['src/index.ts'],
      outfile: 'dist/index.cjs',
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20.19',
      conditions: ['flue-source'],
      external: ['typescript', 'typescript/*'],
      sourcemap: true,
      logLevel: 'warning',
    });
  } catch {
    fail('The editor plugin could not be bundled.', `esbuild names the place in ts-plugin${sep}src above.`);
  }
}
