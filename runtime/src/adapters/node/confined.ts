import type { SandboxApi } from '../../ports/sandbox.ts';
import { SandboxPathDeniedError } from '../../ports/sandbox-errors.ts';
import { isInside, outside } from './host-files.ts';

export interface Confinement {
  /** absolute; no file outside is read or changed */
  readonly root?: string | undefined;
  /** no file is changed */
  readonly readOnly?: boolean | undefined;
}

/** The file verbs of a host within bounds (LOC-09). Its shell knows none. */
export function confined(api: SandboxApi, { root, readOnly }: Confinement): SandboxApi {
  const reads = async (operation: string, path: string) => {
    if (root !== undefined && !(await isInside(root, path))) throw outside(operation, path, root);
  };
  const changes = async (operation: string, path: string) => {
    if (readOnly) throw new SandboxPathDeniedError({ operation, path, why: 'the sandbox is read-only' });
    await reads(operation, path);
  };
  return {
    exec: api.exec,
    readFile: async (path) => reads('readFile', path).then(() => api.readFile(path)),
    readFileBuffer: async (path) => reads('readFileBuffer', path).then(() => api.readFileBuffer(path)),
    stat: async (path) => reads('stat', path).then(() => api.stat(path)),
    readdir: async (path) => reads('readdir', path).then(() => api.readdir(path)),
    exists: async (path) => reads('exists', path).then(() => api.exists(path)),
    writeFile: async (path, content) => changes('writeFile', path).then(() => api.writeFile(path, content)),
    mkdir: async (path, o) => changes('mkdir', path).then(() => api.mkdir(path, o)),
    rm: async (path, o) => changes('rm', path).then(() => api.rm(path, o)),
  };
}
