import type { DefaultEnvironment, SessionEnv } from '../../ports/sandbox.ts';
import { resolveSandboxPath } from '../../ports/sandbox-path.ts';
import { type StartPorts, startEnvironment } from './start-environment.ts';

/** The default environment of one attempt, which does not exist until somebody touches it (SBX-08). */
export interface LazyEnv {
  readonly env: SessionEnv;
  readonly touched: boolean;
  dispose(): Promise<void>;
}

export function openDefaultEnv(source: DefaultEnvironment, ports: StartPorts): LazyEnv {
  const { cwd } = source;
  let started: Promise<SessionEnv> | undefined;
  const real = () => (started ??= startEnvironment({ factory: source }, ports));
  const env: SessionEnv = {
    cwd,
    resolvePath: (path) => resolveSandboxPath(cwd, path, 'resolvePath'),
    exec: async (...args) => (await real()).exec(...args),
    readFile: async (...args) => (await real()).readFile(...args),
    readFileBuffer: async (...args) => (await real()).readFileBuffer(...args),
    writeFile: async (...args) => (await real()).writeFile(...args),
    stat: async (...args) => (await real()).stat(...args),
    readdir: async (...args) => (await real()).readdir(...args),
    exists: async (...args) => (await real()).exists(...args),
    mkdir: async (...args) => (await real()).mkdir(...args),
    rm: async (...args) => (await real()).rm(...args),
  };
  return {
    env,
    get touched() {
      return started !== undefined;
    },
    async dispose() {
      await (await started?.catch(() => undefined))?.dispose?.();
    },
  };
}
