import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FlueConfigError, type FlueConfigIssue } from './flue-config-error.ts';
import { parseFlueConfig } from './parse-flue-config.ts';
import type { FlueConfig, FlueConfigContext } from './schema.ts';

/** In the order in which they win (CFG-02). */
export const FLUE_CONFIG_BASENAMES = [
  'flue.config.ts',
  'flue.config.mts',
  'flue.config.mjs',
  'flue.config.js',
  'flue.config.cjs',
  'flue.config.cts',
] as const;

/** Imports a module by absolute path; the CLI and the build plugin pass one that takes TypeScript (CFG-03, CFG-12). */
export type ModuleLoader = (path: string) => Promise<unknown>;

/** The configuration's absolute path, or `undefined` without one. A named file that does not exist is an error. */
export function resolveFlueConfigPath(where: { cwd: string; configFile?: string }): string | undefined {
  if (where.configFile !== undefined) {
    const path = resolve(where.cwd, where.configFile);
    if (existsSync(path)) return path;
    throw new FlueConfigError(where.configFile, [{ field: '', problem: 'the file does not exist.' }]);
  }
  return presentConfigs(where.cwd)[0];
}

export interface LoadFlueConfigOptions extends Partial<FlueConfigContext> {
  readonly cwd: string;
  readonly configFile?: string;
  /** default: the native `import()`, which takes JavaScript only on older Node versions */
  readonly load?: ModuleLoader;
}

export interface LoadedFlueConfig {
  readonly config: FlueConfig;
  /** absolute */
  readonly configFile?: string;
  readonly warnings: readonly string[];
}

/** Finds, loads and validates the configuration; without a file it is empty. Every fault is a `FlueConfigError`. */
export async function loadFlueConfig(options: LoadFlueConfigOptions): Promise<LoadedFlueConfig> {
  const configFile = resolveFlueConfigPath(options);
  if (configFile === undefined) return { config: {}, warnings: [] };
  const source = options.configFile ?? baseName(configFile);
  const exported = await loadFlueConfigModule(configFile, options.load, source);
  const { command = 'check', mode = 'development', env = process.env } = options;
  const value = await orConfigError(configFile, source, () =>
    typeof exported === 'function' ? exported({ command, mode, env }) : exported,
  );
  const config = parseFlueConfig(value, source);
  return { config, configFile, warnings: options.configFile === undefined ? severalWarning(configFile) : [] };
}

/** The default export of a configuration module, not yet validated. */
export async function loadFlueConfigModule(
  path: string,
  load: ModuleLoader = importModule,
  source = baseName(path),
): Promise<unknown> {
  const loaded = await orConfigError(path, source, () => load(path));
  const isModule = typeof loaded === 'object' && loaded !== null;
  if (isModule && 'default' in loaded && loaded.default !== undefined) return loaded.default;
  throw new FlueConfigError(source, [
    { field: '', problem: 'the configuration must be the default export.' },
  ]);
}

function importModule(path: string): Promise<unknown> {
  return import(pathToFileURL(path).href);
}

function presentConfigs(directory: string): string[] {
  return FLUE_CONFIG_BASENAMES.map((name) => join(directory, name)).filter((path) => existsSync(path));
}

function severalWarning(winner: string): string[] {
  const others = presentConfigs(dirname(winner)).slice(1).map(baseName);
  return others.length === 0
    ? []
    : [`Several Flue configs: ${baseName(winner)} is used, not ${others.join(', ')}.`];
}

function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** A user's module that does not parse or throws is the user's mistake, so it gets its place and no stack (CFG-03). */
async function orConfigError<T>(path: string, source: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof FlueConfigError) throw cause;
    throw new FlueConfigError(source, [failureIssue(path, cause)], { cause });
  }
}

function failureIssue(path: string, cause: unknown): FlueConfigIssue {
  const message = cause instanceof Error ? cause.message : String(cause);
  const firstLine = message.split('\n', 1)[0]!.split(path).join(baseName(path));
  const place = placeOf(path, cause);
  const problem = `${firstLine.replace(/[.\s]+$/, '')}.`;
  return place === undefined ? { field: '', problem } : { field: '', problem, ...place };
}

/** Parsers report `loc` or `(line:column)`; a thrown error has its place in the stack. */
function placeOf(path: string, cause: unknown): { line: number; column: number } | undefined {
  if (!(cause instanceof Error)) return undefined;
  const { loc } = cause as { loc?: { line?: unknown; column?: unknown } };
  if (typeof loc?.line === 'number' && typeof loc.column === 'number') {
    return { line: loc.line, column: loc.column + 1 };
  }
  const escaped = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const match = new RegExp(`${escaped}:(\\d+):(\\d+)`).exec(cause.stack ?? '');
  return match ? { line: Number(match[1]), column: Number(match[2]) } : undefined;
}
