import { LIMITS } from '../../contract/limits.ts';
import { CONFINED, type DefaultEnvironment, GIVEN_ENV, type SessionEnv } from '../../ports/sandbox.ts';
import type { LogLine } from '../logger.ts';
import type { CredentialNotes } from './credential-notes.ts';
import { openDefaultEnv } from './default-env.ts';
import { type SandboxDeclaration, type StartPorts, startEnvironment } from './start-environment.ts';
import { openWorkspace, type Place, type Workspace } from './workspace.ts';

/**
 * The environments of one attempt: the default one, and the one that the agent declares.
 *
 * N1  Each is made at most once, the declared one by the factory and directory that were declared when it was first
 *     attached (SBXH-03, HOOK-06), and keeps its files while the agent is on the other (SBXH-05).
 * N2  A swap that fails changes nothing (SBXH-06).
 * N3  A holder of an environment keeps it over a swap (FLP-04, FLP-05).
 */
export interface Environments {
  readonly current: Workspace;
  /** Whether a render asks for another environment than the current one: only presence counts (SBXH-04). */
  differs(declared: SandboxDeclaration | undefined): boolean;
  /** Takes what a render declared. */
  follow(declared: SandboxDeclaration | undefined): Promise<void>;
  /** Looks at the current one anew (WCTX-07). */
  lookAgain(): Promise<void>;
  /** Frees local handles (SBX-06). */
  end(): Promise<void>;
}

export interface EnvironmentPorts extends StartPorts {
  readonly source: DefaultEnvironment;
  readonly emitLog: (line: LogLine) => void;
  readonly credentialNotes: CredentialNotes;
}

export function openEnvironments(ports: EnvironmentPorts): Environments {
  const fallback = openDefaultEnv(ports.source, ports);
  const byDefault: Place = {
    attached: false,
    env: fallback.env,
    make: undefined,
    isConfined: false,
    isUntouched: () => !fallback.touched,
  };
  let attached: Place | undefined;
  let given: Readonly<Record<string, string>> = {};
  let current: Workspace | undefined;

  async function placeOf(declared: SandboxDeclaration | undefined): Promise<Place> {
    if (!declared) return byDefault;
    if (!attached) given = declared.factory[GIVEN_ENV] ?? {};
    attached ??= {
      attached: true,
      env: await startEnvironment(declared, ports),
      make: declared.factory.tools?.bind(declared.factory),
      isConfined: declared.factory[CONFINED] === true,
      isUntouched: () => false,
    };
    return attached;
  }

  async function dispose(env: Pick<SessionEnv, 'dispose'> | undefined): Promise<void> {
    if (!env?.dispose) return;
    const { clock, emitLog } = ports;
    const limit = new AbortController();
    try {
      const late = clock.sleep(LIMITS.sandboxEndMs, limit.signal).then(() => {
        throw new Error(`it took longer than ${LIMITS.sandboxEndMs} ms`);
      });
      late.catch(() => {});
      await Promise.race([env.dispose(), late]);
    } catch (error) {
      emitLog({
        level: 'warn',
        message: '[flue:sandbox] The environment could not be freed.',
        attributes: { error: error instanceof Error ? error.message : String(error) },
      });
    } finally {
      limit.abort();
    }
  }

  return {
    get current() {
      if (!current) throw new Error('[flue] no environment has been opened.');
      return current;
    },
    differs: (declared) => current?.attached !== (declared !== undefined),
    async follow(declared) {
      current = await openWorkspace(await placeOf(declared), ports);
    },
    async lookAgain() {
      current = await current?.lookAgain();
    },
    async end() {
      // By now what the attempt's requests were authorized with is known.
      for (const line of ports.credentialNotes.carriedBy(given)) ports.emitLog(line);
      await Promise.all([dispose(attached?.env), dispose(fallback.touched ? fallback : undefined)]);
    },
  };
}
