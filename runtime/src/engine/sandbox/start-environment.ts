import { LIMITS } from '../../contract/limits.ts';
import { FlueError } from '../../errors/flue-error.ts';
import type { Clock } from '../../ports/clock.ts';
import { type EnvironmentSource, INSTANCE, MAKES_CWD, type SessionEnv } from '../../ports/sandbox.ts';
import { SandboxStartError } from '../../ports/sandbox-errors.ts';
import { resolveSandboxPath } from '../../ports/sandbox-path.ts';
import { withCwd } from './overlay.ts';
import type { SandboxFactory } from './session-tool.ts';

/** What `useSandbox()` asked for. */
export interface SandboxDeclaration {
  readonly factory: SandboxFactory;
  readonly cwd?: string;
}

export interface StartPorts {
  /** the instance id */
  readonly id: string;
  /** what no other instance has, nor this one in another life */
  readonly instance: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Runs a factory, and gives the environment with the directory that was asked for.
 *
 * @throws SandboxStartError when it fails, gives less than an environment, or takes more than 120 s (SBX-05)
 */
export async function startEnvironment(
  { factory, cwd }: SandboxDeclaration,
  ports: StartPorts,
): Promise<SessionEnv> {
  const env = await created(factory, ports);
  if (cwd === undefined) return env;
  try {
    return withCwd(env, await usableCwd(factory, env, cwd));
  } catch (error) {
    await env.dispose?.().catch(() => {});
    throw error;
  }
}

async function created(
  factory: SandboxFactory,
  { id, instance, clock, signal }: StartPorts,
): Promise<SessionEnv> {
  const limit = new AbortController();
  const cleanUp: (() => void)[] = [];
  const stopped = new Promise<never>((_, reject) => {
    const abandon = () => reject(signal.reason);
    signal.addEventListener('abort', abandon, { once: true });
    cleanUp.push(() => signal.removeEventListener('abort', abandon));
    const timeoutMs = LIMITS.sandboxStartMs;
    const expire = () => {
      const late = new SandboxStartError({ why: `it took longer than ${timeoutMs} ms`, timeoutMs });
      reject(late);
      limit.abort(late);
    };
    cleanUp.push(clock.timer(timeoutMs, expire));
  });
  signal.throwIfAborted();
  const creation = (async () =>
    createOf(factory)({ id, [INSTANCE]: instance, signal: AbortSignal.any([signal, limit.signal]) }))();
  try {
    const env = await Promise.race([creation, stopped]);
    assertComplete(env);
    return env;
  } catch (error) {
    // One that comes after all is freed again (SBXH-06).
    creation.then((late) => late?.dispose?.()).catch(() => {});
    if (signal.aborted || FlueError.is(error, 'sandbox_start_failed')) throw error;
    const dev = error instanceof Error ? error.message : String(error);
    throw new SandboxStartError({ why: 'its factory failed', cause: error, dev });
  } finally {
    for (const step of cleanUp) step();
  }
}

/** SBX-04. */
function createOf(factory: SandboxFactory): EnvironmentSource['createSessionEnv'] {
  const { createSessionEnv, createSandbox } = factory as SandboxFactory & {
    createSandbox?: EnvironmentSource['createSessionEnv'];
  };
  return (createSessionEnv ?? createSandbox!).bind(factory);
}

const VERBS = [
  'exec',
  'readFile',
  'readFileBuffer',
  'writeFile',
  'stat',
  'readdir',
  'exists',
  'mkdir',
  'rm',
  'resolvePath',
] as const;

function assertComplete(env: SessionEnv | undefined): asserts env is SessionEnv {
  const missing: string[] = VERBS.filter((verb) => typeof env?.[verb] !== 'function');
  if (typeof env?.cwd !== 'string') missing.push('cwd');
  if (missing.length > 0) {
    throw new SandboxStartError({ why: `it lacks ${missing.join(', ')}`, missing });
  }
}

/** CWD-03. */
async function usableCwd(factory: EnvironmentSource, env: SessionEnv, cwd: string): Promise<string> {
  const path = resolveSandboxPath(env.cwd, cwd, 'useSandbox()');
  let cause: unknown;
  if (factory[MAKES_CWD]) {
    await env.mkdir(path, { recursive: true }).catch((error: unknown) => {
      cause = error;
    });
  }
  const found = await env.stat(path).catch(() => undefined);
  if (!found?.isDirectory) {
    const why = found
      ? `the working directory "${cwd}" is a file in it`
      : `the working directory "${cwd}" does not exist in it`;
    throw new SandboxStartError({ why, ...(cause !== undefined && { cause }) });
  }
  return path;
}
