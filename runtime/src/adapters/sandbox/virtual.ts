import { misuse } from '../../errors/flue-error.ts';
import { unknownField } from '../../errors/unknown-field.ts';
import {
  type DefaultEnvironment,
  type EnvironmentSource,
  MAKES_CWD,
  type SessionEnv,
} from '../../ports/sandbox.ts';
import { resolveSandboxPath } from '../../ports/sandbox-path.ts';
import { type BashLike, bashSessionEnv } from './bash.ts';
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
 * and no network unless `network` opens one (DEF-01, DEF-03). New for every attempt. What an agent has without `useSandbox()` is `virtual()`.
 *
 * @throws Error for an unknown option or a bad value
 */
export function virtual(options: VirtualOptions = {}): EnvironmentSource {
  const { files = {}, cwd = DEFAULT_CWD, env = {}, limits = {}, network } = checked(options);
  const within = { ...LIMIT_DEFAULTS, ...limits };
  return {
    [MAKES_CWD]: true,
    async createSessionEnv() {
      const session = await emulated({ cwd, env, network, limits: within });
      for (const [path, content] of Object.entries(files)) await session.writeFile(path, content);
      return session;
    },
  };
}

/** What an agent has without `useSandbox()` (SBX-01). */
export function defaultEnvironment(): DefaultEnvironment {
  return { ...virtual(), cwd: DEFAULT_CWD };
}

interface Emulation {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly network: VirtualNetwork | undefined;
  readonly limits: Required<VirtualLimits>;
}

async function emulated({ cwd, env, network, limits }: Emulation): Promise<SessionEnv> {
  const { Bash, InMemoryFs } = await import('just-bash');
  const fs = new InMemoryFs({}, { maxTotalBytes: limits.fileBytes });
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

const FIELDS = ['files', 'cwd', 'env', 'network', 'limits'];

function checked(options: VirtualOptions): VirtualOptions {
  for (const [name, value] of Object.entries({
    options,
    ...pick(options, ['files', 'env', 'network', 'limits']),
  })) {
    if (!isRecord(value)) throw misuse(`virtual(): ${name} must be an object.`);
  }
  const problem = unknownField(options, FIELDS, 'option');
  if (problem) throw misuse(`virtual() ${problem}`);
  const { cwd, limits = {}, network } = options;
  if (network !== undefined) checkedNetwork(network);
  if (cwd !== undefined && !(typeof cwd === 'string' && cwd.startsWith('/'))) {
    throw misuse('virtual(): cwd must be an absolute path.');
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
