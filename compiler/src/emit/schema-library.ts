import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as v from 'valibot';

/** Valibot and the runtime's conversion, in the versions that the project runs (EVALS-02). */
export interface SchemaLibrary {
  readonly valibot: typeof v;
  readonly toJsonSchema: (schema: v.GenericSchema) => Record<string, unknown>;
}

export async function loadSchemaLibrary(root: string): Promise<SchemaLibrary> {
  const [valibot, tools] = await Promise.all([
    loadAsProject(root, 'valibot', () => import('valibot')),
    loadAsProject(root, '@flue/runtime/tool', () => import('@flue/runtime/tool')),
  ]);
  return { valibot, toJsonSchema: tools.toolInputJsonSchema };
}

/** The project's copy where it has another than ours. */
async function loadAsProject<T>(root: string, name: string, own: () => Promise<T>): Promise<T> {
  const theirs = resolveFrom(join(root, 'package.json'), name);
  if (theirs === undefined || theirs === resolveFrom(import.meta.url, name)) return own();
  const loaded: { default?: T } & T = await import(pathToFileURL(theirs).href);
  return loaded.default ?? loaded;
}

function resolveFrom(place: string, name: string): string | undefined {
  try {
    return createRequire(place).resolve(name);
  } catch {
    return undefined;
  }
}
