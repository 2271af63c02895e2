import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { misuse } from '../../errors/flue-error.ts';
import { Script } from './script.ts';
import { parseScript } from './script-step.ts';

/** On the global object, so that a test and a server bundled apart from it in one process share the script. */
const KEY = Symbol.for('@flue/runtime.script');
const holder = globalThis as { [KEY]?: Script | undefined };

/** Makes `script` what `offline/script` plays in this process, in place of any other; `undefined` takes it away. */
export function installScript(script: Script | undefined): void {
  holder[KEY] = script;
}

export function installedScript(): Script | undefined {
  return holder[KEY];
}

/**
 * The script of a file (`FLUE_SCRIPT`, SCR-01): JSON, or a module whose default export is the object, the list of steps
 * or a function. Relative paths start at the working directory. Rejects with what is wrong and where.
 */
export async function loadScript(path: string): Promise<Script> {
  const file = resolve(path);
  const where = `FLUE_SCRIPT (${path})`;
  return new Script(
    parseScript(
      file.endsWith('.json') ? await readJson(file, where) : await importDefault(file, where),
      where,
    ),
  );
}

async function readJson(file: string, where: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw misuse(`${where} cannot be read as JSON: ${(error as Error).message}`, undefined, { cause: error });
  }
}

async function importDefault(file: string, where: string): Promise<unknown> {
  try {
    const module: { default?: unknown } = await import(/* @vite-ignore */ pathToFileURL(file).href);
    return module.default;
  } catch (error) {
    throw misuse(`${where} cannot be loaded: ${(error as Error).message}`, undefined, { cause: error });
  }
}
