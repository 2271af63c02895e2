import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { StepFailed } from './run-step.mjs';

const BOOT_MS = 20_000;
const STOP_MS = 10_000;

/** Boots the built server on a free loopback port and an empty database; resolves once it answers. */
export async function bootServer({ artifact, cwd, database }) {
  if (!existsSync(artifact)) {
    throw new StepFailed(
      'The build left no server behind.',
      artifact,
      'See whether vite.config.ts still uses flue().',
    );
  }
  mkdirSync(dirname(database), { recursive: true });
  for (const suffix of ['', '-wal', '-shm']) rmSync(database + suffix, { force: true });

  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ['--enable-source-maps', artifact], {
    cwd,
    env: { ...process.env, PORT: String(port), FLUE_DB: database },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      log += text;
    });
  }

  // Whatever ends this process, the server must not outlive it.
  process.once('exit', () => child.kill('SIGKILL'));
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])
    process.once(signal, () => process.exit(code));

  await answering(child, url, () => log);
  return { url, log: () => log, stop: () => stop(child, exited, artifact) };
}

async function answering(child, url, log) {
  const until = Date.now() + BOOT_MS;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new StepFailed(
        `The server ended before it answered (${child.signalCode ?? `exit code ${child.exitCode}`}).\n${log()}`,
        child.spawnargs.at(-1),
        'Its own words are above.',
      );
    }
    if (
      await fetch(`${url}/health`).then(
        (response) => response.ok,
        () => false,
      )
    )
      return;
    if (Date.now() > until) {
      throw new StepFailed(
        `The server did not answer within ${BOOT_MS / 1000} s.\n${log()}`,
        `${url}/health`,
        'Its own words are above; a firewall on loopback would also explain it.',
      );
    }
    await pause(25);
  }
}

async function stop(child, exited, artifact) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const patience = new AbortController();
  const late = pause(STOP_MS, 'late', { signal: patience.signal }).catch(() => undefined);
  const first = await Promise.race([exited, late]);
  patience.abort();
  if (first !== 'late') return;
  child.kill('SIGKILL');
  await exited;
  throw new StepFailed(
    `The server was still running ${STOP_MS / 1000} s after SIGTERM and was killed.`,
    artifact,
    'Something in the application keeps it busy; no accepted message is lost.',
  );
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  await once(probe, 'close');
  return port;
}
