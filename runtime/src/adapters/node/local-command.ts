import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  type SpawnOptionsWithoutStdio,
  spawn,
} from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ExecOptions, ShellResult } from '../../ports/sandbox.ts';
import { OUTPUT_BYTES, TOO_MUCH_OUTPUT, timedOut } from '../sandbox/session-env.ts';
import { startTimer } from '../timer.ts';

/** From SIGTERM to SIGKILL, milliseconds (LOC-06). */
const GRACE_MS = 2000;
/** From an exceeded limit to its result, milliseconds. */
const EXPIRY_MS = 300;

const isPosix = process.platform !== 'win32';

/** Runs a command line on the host, as the leader of a process group of its own (LOC-06). Rejects only when it is aborted. */
export function runLocalCommand(
  command: string,
  { cwd, env, timeoutMs, signal, stdin }: ExecOptions,
): Promise<ShellResult> {
  return new Promise((resolve, reject) => {
    const child = start(command, { cwd, env, detached: isPosix, stdio: 'pipe' });
    const output = collect(child);
    let expired = false;
    const stop = () => endGroup(child);
    const expire = () => resolve(timedOut(timeoutMs!, output.text()));
    const over = () => {
      expired = true;
      stop();
      // One that clings to life is left to SIGKILL; its caller need not wait for that.
      setTimeout(expire, EXPIRY_MS);
    };
    const cancel = timeoutMs === undefined ? undefined : startTimer(timeoutMs, over, { keepsAlive: true });
    signal?.addEventListener('abort', stop, { once: true });
    const settled = () => {
      cancel?.();
      signal?.removeEventListener('abort', stop);
    };
    child.once('error', (error) => {
      settled();
      resolve({ stdout: '', stderr: `${error.message}, started in '${cwd}'\n`, exitCode: 1 });
    });
    // What the shell left behind in its group would hold its pipes open, and outlive the call.
    child.once('exit', () => {
      if (!/\b(nohup|setsid)\b/.test(command)) signalGroup(child, 'SIGKILL');
    });
    child.once('close', (code, killedBy) => {
      settled();
      const { stdout, stderr } = output.text();
      if (signal?.aborted) reject(signal.reason);
      else if (expired) expire();
      else if (output.exceeded) resolve({ stdout, stderr: TOO_MUCH_OUTPUT, exitCode: 1 });
      else if (code !== null) resolve({ stdout, stderr, exitCode: code });
      else resolve({ stdout, stderr: `${stderr}The command was ended by ${killedBy}.\n`, exitCode: 1 });
    });
    child.stdin.on('error', () => {}); // it may end without having read
    child.stdin.end(stdin ?? '');
  });
}

function collect(child: ChildProcess) {
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let bytes = 0;
  let exceeded = false;
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= OUTPUT_BYTES) parts[stream].push(chunk);
      else if (!exceeded) {
        exceeded = true;
        endGroup(child);
      }
    });
  }
  return {
    get exceeded() {
      return exceeded;
    },
    text: () => ({
      stdout: Buffer.concat(parts.stdout).toString(),
      stderr: Buffer.concat(parts.stderr).toString(),
    }),
  };
}

function endGroup(child: ChildProcess): void {
  signalGroup(child, 'SIGTERM');
  const kill = setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS);
  child.once('close', () => clearTimeout(kill));
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (isPosix) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // Nobody of the group is left.
  }
}

/**
 * Without its start-up file: node's pipes are sockets, which bash takes for a connection from afar, and then reads it.
 */
function start(command: string, options: SpawnOptionsWithoutStdio): ChildProcessWithoutNullStreams {
  const bash = bashPath();
  return bash === ''
    ? spawn(command, { ...options, shell: true })
    : spawn(bash, ['--norc', '-c', command], options);
}

let found: string | undefined;

/** `bash` of the host's own PATH, looked for once; empty where the platform's own shell has to do (LOC-05). */
function bashPath(): string {
  found ??= (isPosix && findBash()) || '';
  return found;
}

function findBash(): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => join(folder, 'bash'))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
