import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A built server as a process of its own, on a free port. */
export interface Server {
  readonly url: string;
  readonly process: ChildProcess;
  /** everything it wrote */
  output(): string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Resolves once it says where it listens; rejects with what it wrote when it ends before. */
export async function startServer(artifact: string, env: Record<string, string> = {}): Promise<Server> {
  const child = spawn(process.execPath, ['--conditions=flue-source', '--import', 'tsx', artifact], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  let output = '';
  const url = new Promise<string>((resolve) => {
    const collect = (text: string) => {
      output += text;
      const match = /http:\/\/localhost:(\d+)/.exec(output);
      if (match) resolve(`http://127.0.0.1:${match[1]}`);
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
  });
  const ended = exited.then(([code]) => {
    throw new ServerEnded(output, code as number | null);
  });
  ended.catch(() => {});
  return {
    url: await Promise.race([url, ended]),
    process: child,
    output: () => output,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      const [code] = await exited;
      return code as number | null;
    },
  };
}

export class ServerEnded extends Error {
  readonly output: string;
  readonly code: number | null;

  constructor(output: string, code: number | null) {
    super(`The server ended (${code}): ${output}`);
    this.output = output;
    this.code = code;
  }
}

/** Sends one message and reads until its settlement; returns the submission as the server reports it. */
export async function converse(instance: string, message: object): Promise<Record<string, unknown>> {
  const response = await fetch(instance, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
  });
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  const { submissionId } = (await response.json()) as { submissionId: string };
  for (;;) {
    const read = await fetch(`${instance}/submissions/${submissionId}?live=long-poll`);
    const submission = (await read.json()) as Record<string, unknown>;
    if (submission.state === 'settled') return submission;
  }
}
