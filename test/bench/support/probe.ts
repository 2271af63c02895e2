import { execFile } from 'node:child_process';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleModule } from '../../support/bundle.ts';

const run = promisify(execFile);

/** A program that tells one JSON value on its standard output, measured in a process of its own. */
export type Probe = <T>(...args: readonly string[]) => Promise<T>;

/** Makes a probe of a module, in `folder`, that loads the built packages as an installed application does. */
export async function openProbe(
  module: URL,
  folder: string,
  nodeArgs: readonly string[] = [],
): Promise<Probe> {
  const file = join(folder, `${basename(module.pathname, '.ts')}.mjs`);
  await bundleModule(module, file, { sources: false });
  return probeOf(file, nodeArgs);
}

/** The same over the sources of the workspace, for tests, whose numbers mean nothing. */
export function openSourceProbe(module: URL): Probe {
  return probeOf(fileURLToPath(module), FROM_SOURCES);
}

/** What Node needs to run the sources of the workspace as they are. */
export const FROM_SOURCES = ['--conditions=flue-source', '--import', import.meta.resolve('tsx')];

function probeOf(file: string, nodeArgs: readonly string[]): Probe {
  return async (...args) => {
    const { stdout } = await run(process.execPath, [...nodeArgs, file, ...args]);
    return JSON.parse(stdout);
  };
}
