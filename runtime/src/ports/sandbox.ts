/** What a command left behind. A non-zero exit code is a result like any other (EXE-01). */
export interface ShellResult {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** What an environment knows of a path; what it does not know is left out (FIL-03). Of a link, the target's. */
export interface FileStat {
  isFile: boolean;
  isDirectory: boolean;
  isSymbolicLink?: boolean;
  /** bytes */
  size?: number;
  mtime?: Date;
}

export interface ExecOptions {
  /** relative to the environment's own; default that one (EXE-02) */
  cwd?: string;
  /** on top of what commands see anyway (EXE-03) */
  env?: Record<string, string>;
  /** limit in milliseconds of wall clock; a command that exceeds it ends with exit code 124 (EXE-04) */
  timeoutMs?: number;
  /** rejects with an `AbortError` as soon as it fires (EXE-05) */
  signal?: AbortSignal;
  /** what the command reads; empty unless given */
  stdin?: string;
}

export interface RemoveOptions {
  recursive?: boolean;
  force?: boolean;
}

export interface GrepQuery {
  /** an ECMAScript regular expression with POSIX classes translated, or plain text if `literal` */
  pattern: string;
  literal: boolean;
  ignoreCase: boolean;
  /** absolute; a file or a directory */
  path: string;
  /** glob on names, or on paths relative to `path` */
  include?: string;
  /** how many matches are wanted */
  limit: number;
  /** fires when nobody waits any more */
  signal: AbortSignal;
}

export interface GrepResult {
  /** paths are absolute, lines count from 1 */
  matches: { path: string; line: number; text: string }[];
  /** of all matches, if known */
  count?: number;
  filesSearched?: number;
  /** limits that were reached, each a clause for the reader: "only the first 100 files were searched" */
  limits?: string[];
}

export interface GlobQuery {
  pattern: string;
  /** absolute; a directory */
  path: string;
  /** how many paths are wanted */
  limit: number;
  /** fires when nobody waits any more */
  signal: AbortSignal;
}

export interface GlobResult {
  /** absolute */
  paths: string[];
  /** of all files that fit, if known */
  count?: number;
  filesSearched?: number;
  limits?: string[];
}

/**
 * A search that runs near the files, in place of one that walks them verb by verb (SRCH-02). It owes what the tools `grep`
 * and `glob` promise: their dialects, what they skip, their limits (TGR, TGB). Order and cutting are not its business.
 */
export interface SearchBackend {
  grep(query: GrepQuery): Promise<GrepResult>;
  glob(query: GlobQuery): Promise<GlobResult>;
}

/** The verbs of a place that holds files and runs commands. Paths are POSIX (PTH-01). */
export interface SandboxApi {
  exec(command: string, options?: ExecOptions): Promise<ShellResult>;
  /** UTF-8 text; rejects for a missing path or a directory */
  readFile(path: string): Promise<string>;
  /** the exact bytes */
  readFileBuffer(path: string): Promise<Uint8Array>;
  writeFile(path: string, content: string | Uint8Array): Promise<void>;
  stat(path: string): Promise<FileStat>;
  /** names only */
  readdir(path: string): Promise<string[]>;
  exists(path: string): Promise<boolean>;
  mkdir(path: string, options?: { recursive?: boolean }): Promise<void>;
  rm(path: string, options?: RemoveOptions): Promise<void>;
  readonly search?: SearchBackend;
}

/** The environment of one agent: the verbs, and the directory where relative paths start. */
export interface SessionEnv extends SandboxApi {
  /** absolute */
  readonly cwd: string;
  /** one spelling for each path, without any I/O (PTH-02) */
  resolvePath(path: string): string;
  /** Frees local handles when the attempt ends, never the provider's infrastructure (SBX-06). */
  dispose?(): Promise<void>;
  readonly [GENERATION]?: string;
}

/** Marks a source that makes a working directory which is not there (CWD-03). It survives a copy of the object. */
export const MAKES_CWD: unique symbol = Symbol.for('@flue/runtime.makesCwd') as never;

/** Marks a source whose files are confined and whose shell is not, so that models get no shell of it (LOC-09). */
export const CONFINED: unique symbol = Symbol.for('@flue/runtime.confined') as never;

/** On a source: the variables that its user gives to commands, which may carry what they should not (LOC-04). */
export const GIVEN_ENV: unique symbol = Symbol.for('@flue/runtime.givenEnv') as never;

/** On an environment whose files outlast an attempt: another value means that they were lost (VIRT-02). */
export const GENERATION: unique symbol = Symbol.for('@flue/runtime.generation') as never;

/** Tells instances apart that have the same id: of other agents, or of an earlier life. */
export const INSTANCE: unique symbol = Symbol.for('@flue/runtime.instance') as never;

/** Supplies environments. Cheap to build; only `createSessionEnv()` does work (SBX-02). */
export interface EnvironmentSource {
  /** @param options.id the instance id, the same for every attempt of one instance (SBX-03) */
  createSessionEnv(options: {
    id: string;
    signal?: AbortSignal;
    readonly [INSTANCE]?: string;
  }): Promise<SessionEnv>;
  readonly [MAKES_CWD]?: true;
  readonly [CONFINED]?: boolean;
  readonly [GIVEN_ENV]?: Readonly<Record<string, string>>;
}

/** What an agent works in that declares nothing: created when it is first touched (SBX-08). */
export interface DefaultEnvironment extends EnvironmentSource {
  /** known beforehand; it starts empty */
  readonly cwd: string;
}
