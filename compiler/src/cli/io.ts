/** What a command sees of the process, so that a test can stand in for it. */
export interface Io {
  /** the command's payload and nothing else (CLI-02) */
  out(text: string): void;
  /** progress, notes, errors */
  err(text: string): void;
  readonly workingDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
  /** the exit code of the signal that ends a command which would go on for ever (CLI-05) */
  untilInterrupted(): Promise<number>;
}

export function processIo(): Io {
  // A reader that has seen enough (`flue check | head`) is no failure of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    workingDirectory: process.cwd(),
    env: process.env,
    isTerminal: process.stdout.isTTY === true,
    untilInterrupted: () =>
      new Promise((resolve) => {
        process.once('SIGINT', () => resolve(130));
        process.once('SIGTERM', () => resolve(143));
      }),
  };
}

/** Colour only on a terminal, unless the user says otherwise (CLI-03). */
export function wantsColor(io: Io, refused: boolean): boolean {
  if (refused || io.env.NO_COLOR) return false;
  if (io.env.FORCE_COLOR !== undefined) return io.env.FORCE_COLOR !== '0';
  return io.isTerminal && io.env.TERM !== 'dumb';
}
