import type { InMemoryFs } from 'just-bash';
import { LIMITS } from '../../contract/limits.ts';
import { misuse } from '../../errors/flue-error.ts';
import { unknownField } from '../../errors/unknown-field.ts';
import {
  type DefaultEnvironment,
  type EnvironmentSource,
  GENERATION,
  INSTANCE,
  MAKES_CWD,
  type SessionEnv,
} from '../../ports/sandbox.ts';
import { resolveSandboxPath } from '../../ports/sandbox-path.ts';
import { type BashLike, bashSessionEnv } from './bash.ts';
import { createKeptFiles } from './kept-files.ts';
import { checkedNetwork, openNetwork, type VirtualNetwork } from './network.ts';

const MiB = 1024 * 1024;

export interface VirtualLimits {
  /** wall clock of one command line, milliseconds; default 120,000 */
  commandTimeoutMs?: number;
  /** commands of one command line; default 20,000 */
  commands?: number;
  /** passes of one loop; default 20,000 */
  loopIterations?: number;
  /** bytes that all files take; default 64 MiB */
  fileBytes?: number;
  /** bytes that one command line prints; default 10 MiB */
  outputBytes?: number;
}

export interface VirtualOptions {
  /** what the file system starts with, by path relative to `cwd` */
  files?: Record<string, string | Uint8Array>;
  /** absolute; default `/workspace` */
  cwd?: string;
  /** what commands see, besides `HOME` and what the shell sets itself */
  env?: Record<string, string>;
  /** what `curl` may reach; without it there is no network (DEF-03, VIRT-03) */
  network?: VirtualNetwork;
  limits?: VirtualLimits;
  /**
   * How long files live. `attempt`, the default: until the message is answered. `instance`: as long as this process,
   * save that it keeps those of 100 instances and of 256 MiB, the latest used ones. The model is told of a loss (VIRT-02).
   */
  scope?: 'attempt' | 'instance';
}

const DEFAULT_CWD = '/workspace';

const LIMIT_DEFAULTS: Required<VirtualLimits> = {
  commandTimeoutMs: 120_000,
  commands: 20_000,
  loopIterations: 20_000,
  fileBytes: 64 * MiB,
  outputBytes: 10 * MiB,
};

/**
 * An in-memory file system with an emulated shell: no file, process, variable or credential of the host can be reached,
 * and no network unless `network` opens one (DEF-01, DEF-03). New for every attempt, unless `scope` says otherwise. What an agent has without `useSandbox()` is `virtual()`.
 *
 * @throws Error for an unknown option or a bad value
 */
export function virtual(options: VirtualOptions = {}): EnvironmentSource {
  const { files = {}, cwd = DEFAULT_CWD, env = {}, limits = {}, network, scope } = checked(options);
  const within = { ...LIMIT_DEFAULTS, ...limits };
  return {
    [MAKES_CWD]: true,
    async createSessionEnv({ id, [INSTANCE]: instance = id }) {
      const open = async (fs: InMemoryFs) => emulated({ fs, cwd, env, network, limits: within });
      const seeded = async () => {
        const fs = await emptyFiles(within);
        const session = await open(fs);
        for (const [path, content] of Object.entries(files)) await session.writeFile(path, content);
        return { fs, session };
      };
      if (scope !== 'instance') return (await seeded()).session;
      const kept = await keptFiles.take(instance, async () => (await seeded()).fs);
      return {
        ...(await open(kept.files)),
        [GENERATION]: kept.generation,
        dispose: async () => keptFiles.giveBack(instance),
      };
    },
  };
}

/** What an agent has without `useSandbox()` (SBX-01). */
export function defaultEnvironment(): DefaultEnvironment {
  return { ...virtual(), cwd: DEFAULT_CWD };
}

/** Of every `virtual({ scope: 'instance' })` of this process, since each render makes another factory. */
const keptFiles = createKeptFiles<InMemoryFs>({
  most: LIMITS.keptEnvironments,
  mostBytes: LIMITS.keptEnvironmentBytes,
  bytesOf: bytesIn,
});

async function bytesIn(fs: InMemoryFs): Promise<number> {
  const found = await Promise.all(fs.getAllPaths().map((path) => fs.lstat(path)));
  return found.reduce((sum, { isFile, size }) => sum + (isFile ? size : 0), 0);
}

async function emptyFiles(limits: Required<VirtualLimits>): Promise<InMemoryFs> {
  const { InMemoryFs } = await import('just-bash');
  return new InMemoryFs({}, { maxTotalBytes: limits.fileBytes });
}

interface Emulation {
  readonly fs: InMemoryFs;
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly network: VirtualNetwork | undefined;
  readonly limits: Required<VirtualLimits>;
}

async function emulated({ fs, cwd, env, network, limits }: Emulation): Promise<SessionEnv> {
  const { Bash } = await import('just-bash');
  for (const path of [cwd, '/tmp']) await fs.mkdir(path, { recursive: true });
  const instance: BashLike = new Bash({
    fs,
    cwd,
    env: { HOME: cwd, ...env },
    ...(network && { fetch: await openNetwork(network) }),
    // It would patch globals of the whole process while a command runs; nothing here evaluates JavaScript.
    defenseInDepth: false,
    executionLimits: {
      // A pass of a loop costs one more, for its pause.
      maxCommandCount: limits.commands + limits.loopIterations,
      maxLoopIterations: limits.loopIterations,
      maxAwkIterations: limits.loopIterations,
      maxSedIterations: limits.loopIterations,
      maxJqIterations: limits.loopIterations,
      maxOutputSize: limits.outputBytes,
      maxFileSystemBytes: limits.fileBytes,
    },
  });
  return bashSessionEnv(instance, limits);
}

const FIELDS = ['files', 'cwd', 'env', 'network', 'limits', 'scope'];

function checked(options: VirtualOptions): VirtualOptions {
  for (const [name, value] of Object.entries({
    options,
    ...pick(options, ['files', 'env', 'network', 'limits']),
  })) {
    if (!isRecord(value)) throw misuse(`virtual(): ${name} must be an object.`);
  }
  const problem = unknownField(options, FIELDS, 'option');
  if (problem) throw misuse(`virtual() ${problem}`);
  const { cwd, limits = {}, network, scope } = options;
  if (network !== undefined) checkedNetwork(network);
  if (cwd !== undefined && !(typeof cwd === 'string' && cwd.startsWith('/'))) {
    throw misuse('virtual(): cwd must be an absolute path.');
  }
  if (scope !== undefined && scope !== 'attempt' && scope !== 'instance') {
    throw misuse("virtual(): scope must be 'attempt' or 'instance'.");
  }
  const wrong = unknownField(limits, Object.keys(LIMIT_DEFAULTS), 'limit');
  if (wrong) throw misuse(`virtual(): limits ${wrong}`);
  for (const [name, value] of Object.entries(limits)) {
    if (!(Number.isSafeInteger(value) && value > 0)) {
      throw misuse(`virtual(): limits.${name} must be a positive integer.`);
    }
  }
  return cwd === undefined ? options : { ...options, cwd: resolveSandboxPath('/', cwd, 'virtual()') };
}

function pick(options: VirtualOptions, names: readonly (keyof VirtualOptions)[]): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name) => [name, options?.[name]]).filter(([, value]) => value !== undefined),
  );
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
