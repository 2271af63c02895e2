import type { SessionEnv } from '../../ports/sandbox.ts';
import { resolveSandboxPath } from '../../ports/sandbox-path.ts';

const origins = new WeakMap<SessionEnv, SessionEnv>();

/** The environment that an adapter made, whatever lies over it: what belongs to the place is kept by it. */
export function originOf(env: SessionEnv): SessionEnv {
  return origins.get(env) ?? env;
}

/** An environment with some members of its own; all others, an adapter's extra ones too, are the given one's (SBX-10). */
export function overlay(env: SessionEnv, members: Partial<SessionEnv>): SessionEnv {
  const view = new Proxy({} as SessionEnv, {
    get(_, key) {
      const from = Object.hasOwn(members, key) ? members : env;
      const value: unknown = Reflect.get(from, key, from);
      return typeof value === 'function' && from === env ? value.bind(env) : value;
    },
    has: (_, key) => key in env,
  });
  origins.set(view, originOf(env));
  return view;
}

/** The same place with another directory to start from (CWD-01, CWD-02). It confines nothing (CWD-05). */
export function withCwd(env: SessionEnv, cwd: string): SessionEnv {
  const at = (path: string, operation: string) => resolveSandboxPath(cwd, path, operation);
  return overlay(env, {
    cwd,
    resolvePath: (path) => at(path, 'resolvePath'),
    readFile: async (path) => env.readFile(at(path, 'readFile')),
    readFileBuffer: async (path) => env.readFileBuffer(at(path, 'readFileBuffer')),
    writeFile: async (path, content) => env.writeFile(at(path, 'writeFile'), content),
    stat: async (path) => env.stat(at(path, 'stat')),
    readdir: async (path) => env.readdir(at(path, 'readdir')),
    exists: async (path) => {
      try {
        return await env.exists(at(path, 'exists'));
      } catch {
        return false; // FIL-05, also for what is no path
      }
    },
    mkdir: async (path, o) => env.mkdir(at(path, 'mkdir'), o),
    rm: async (path, o) => env.rm(at(path, 'rm'), o),
    exec: async (command, o) => env.exec(command, { ...o, cwd: at(o?.cwd ?? cwd, 'exec') }),
  });
}
