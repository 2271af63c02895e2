import { run } from '../cli/main.ts';

export interface FlueResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in this process, as from a shell in `workingDirectory` without a terminal. */
export async function runFlue(
  workingDirectory: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<FlueResult> {
  const written = { stdout: '', stderr: '' };
  const code = await run(argv, {
    out: (text) => {
      written.stdout += text;
    },
    err: (text) => {
      written.stderr += text;
    },
    workingDirectory,
    env,
    isTerminal: false,
    untilInterrupted: () => new Promise(() => {}),
  });
  return { code, ...written };
}
