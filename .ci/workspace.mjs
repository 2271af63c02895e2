import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What prepare, build and check agree on. Plain Node: it runs before anything is installed. */

export const root = fileURLToPath(new URL('..', import.meta.url));
export const buildStamp = join(root, 'node_modules/.cache/flue/build.stamp');

/** Packages that emit JavaScript through `tsc -b`, in the order of their arrows. */
export const emitted = ['runtime', 'compiler', 'unplugin'];

export function say(line) {
  process.stderr.write(`${line}\n`);
}

/** Ends the process with what happened, where, and what to do about it. */
export function fail(what, remedy) {
  say(`\n${what}\n  ${remedy}`);
  process.exit(1);
}

/** Runs one command with its output on stderr, so that stdout stays with the script that asked for it. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
  if (result.error) return { ok: false, why: result.error.message };
  if (result.signal) return { ok: false, why: `ended by ${result.signal}` };
  return { ok: result.status === 0, why: `exit code ${result.status}` };
}

/** Every file below a folder, in a fixed order; what is built or installed is not part of the answer. */
export function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesBelow(path);
      return [path];
    });
}

const BUILD_FILES = [
  '.tsconfig.base.json',
  'package-lock.json',
  '.ci/build.mjs',
  '.ci/bundle-plugin.mjs',
  '.ci/workspace.mjs',
];

/**
 * One line that changes when any input of the build changes. Names, sizes and times are enough and take
 * milliseconds; contents would cost more than `npm start` may spend on finding out that there is nothing to do.
 */
export function buildInputs() {
  const digest = createHash('sha256').update(process.versions.node);
  const inputs = [
    ...[...emitted, 'ts-plugin'].flatMap((name) => [
      ...filesBelow(join(root, name, 'src')),
      join(root, name, 'package.json'),
      join(root, name, 'tsconfig.json'),
    ]),
    ...BUILD_FILES.map((name) => join(root, name)),
  ];
  for (const path of inputs) {
    const { mtimeMs, size } = statSync(path);
    digest.update(`${relative(root, path)} ${size} ${mtimeMs}\n`);
  }
  return digest.digest('hex');
}
