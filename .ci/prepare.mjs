/**
 * Gets a clone ready: `install` when dependencies are missing or outdated, `build` when sources are newer than what
 * was built from them. Every script of package.json starts here, so it must cost next to nothing when all is well.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildInputs, buildStamp, emitted, fail, root, run, say } from './workspace.mjs';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  fail(
    `Flue needs Node 20.19 or newer; this is Node ${process.versions.node}.`,
    'Install a current Node (https://nodejs.org) and run the command again.',
  );
}

const goal = process.argv[2];
if (goal !== 'install' && goal !== 'build') {
  fail(`.ci/prepare.mjs does not know '${goal ?? ''}'.`, 'Call it with `install` or `build`.');
}

if (!isInstalled()) install();
if (goal === 'build' && !isBuilt()) build();

function isInstalled() {
  const wanted = join(root, 'package-lock.json');
  const present = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(present)) return false;
  return statSync(present).mtimeMs >= statSync(wanted).mtimeMs || holdsTheSamePackages(wanted, present);
}

/** A checkout touches the lock file without changing it; that alone must not cost a reinstall. */
function holdsTheSamePackages(wanted, present) {
  try {
    const packagesOf = (path) => JSON.parse(readFileSync(path, 'utf8')).packages;
    const installed = packagesOf(present);
    return Object.entries(packagesOf(wanted)).every(([path, entry]) => {
      if (!path.includes('node_modules/') || entry.optional || entry.devOptional) return true;
      const there = installed[path];
      return there?.version === entry.version && there?.integrity === entry.integrity;
    });
  } catch {
    return false;
  }
}

function install() {
  say('Installing dependencies (npm ci); the first time this takes a few minutes ...');
  // The npm that started this script hands its own settings down. Those that would leave out what the scripts need,
  // or install somewhere else, are not for this install.
  const env = { ...process.env };
  for (const name of [
    'dry_run',
    'global',
    'location',
    'omit',
    'only',
    'package_lock_only',
    'prefix',
    'workspace',
  ]) {
    delete env[`npm_config_${name}`];
  }
  const npm = process.env.npm_execpath;
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=notice'];
  const done = npm?.endsWith('npm-cli.js')
    ? run(process.execPath, [npm, ...args], { env })
    : run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, {
        env,
        shell: process.platform === 'win32',
      });
  if (!done.ok) {
    fail(
      `The dependencies could not be installed (npm ci: ${done.why}).`,
      'npm says why above. Check the network and the registry, then run the command again.',
    );
  }
  if (!existsSync(join(root, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'))) {
    fail(
      'better-sqlite3 is installed but its native part is missing.',
      'npm was told to skip install scripts. Run `npm rebuild better-sqlite3 --ignore-scripts=false`.',
    );
  }
}

function isBuilt() {
  const outputs = [buildStamp, ...[...emitted, 'ts-plugin'].map((name) => join(root, name, 'dist'))];
  if (outputs.some((path) => !existsSync(path))) return false;
  return readFileSync(buildStamp, 'utf8') === buildInputs();
}

function build() {
  say('Building the packages ...');
  const done = run(process.execPath, [join(root, '.ci/build.mjs')]);
  if (!done.ok) process.exit(1); // build.mjs has said what is wrong
}
