import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleModule } from '../../support/bundle.ts';

const run = promisify(execFile);

/** A program that tells one JSON value on its standard output, measured in a process of its own. */
export type Probe = <T>(...args: readonly string[]) => Promise<T>;

/** Makes a probe of `probes/<name>.ts` that loads the built packages, as an installed application does. */
export async function openProbe(
  name: string,
  folder: string,
  nodeArgs: readonly string[] = [],
): Promise<Probe> {
  const file = join(folder, `${name}.mjs`);
  await bundleModule(new URL(`../probes/${name}.ts`, import.meta.url), file, { sources: false });
  return async (...args) => {
    const { stdout } = await run(process.execPath, [...nodeArgs, file, ...args]);
    return JSON.parse(stdout);
  };
}
