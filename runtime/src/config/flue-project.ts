import { existsSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { FlueConfigError, type FlueConfigIssue } from './flue-config-error.ts';
import type { FlueConfig } from './schema.ts';

/** Extensions of a discovered entry, in the order in which they win (CFG-05). */
export const PROJECT_ENTRY_EXTENSIONS = ['ts', 'mts', 'js', 'mjs'] as const;

export type ProjectEntryName = 'app' | 'db' | 'cloudflare' | 'setup';

/** The layout of one project; every path is absolute. */
export interface FlueProject {
  readonly root: string;
  readonly configFile?: string;
  readonly config: FlueConfig;
  readonly target: 'node' | 'cloudflare';
  readonly sourceRoot: string;
  /** the folder of generated files (EMIT-01) */
  readonly generatedDir: string;
  readonly app?: string;
  readonly db?: string;
  readonly cloudflare?: string;
  /** evaluated in this order before any agent module (CFG-06) */
  readonly setup: readonly string[];
}

/** `sourceRoot` of the configuration, else `<root>/src`, else the root (CFG-07). */
export function resolveSourceRoot(root: string, config: FlueConfig = {}, base = root): string {
  if (config.sourceRoot !== undefined) return resolve(base, config.sourceRoot);
  const src = join(root, 'src');
  return isDirectory(src) ? src : root;
}

/** `<sourceRoot>/<name>.{ts,mts,js,mjs}`, the first that exists (CFG-05). */
export function discoverProjectEntry(sourceRoot: string, name: ProjectEntryName): string | undefined {
  return PROJECT_ENTRY_EXTENSIONS.map((ext) => join(sourceRoot, `${name}.${ext}`)).find((path) =>
    isFile(path),
  );
}

/** Paths of the configuration are relative to its file; explicit ones that do not exist are all reported (CFG-05). */
export function resolveFlueProject(options: {
  root: string;
  config?: FlueConfig;
  configFile?: string;
}): FlueProject {
  const { config = {}, configFile } = options;
  const root = resolve(options.root);
  const base = configFile === undefined ? root : dirname(configFile);
  const sourceRoot = resolveSourceRoot(root, config, base);
  const generatedDir = resolve(base, config.generate?.outDir ?? join(root, '.flue'));
  const issues: FlueConfigIssue[] = [];

  if (!isDirectory(sourceRoot)) {
    issues.push({ field: 'sourceRoot', problem: `names ${shown(root, sourceRoot)}, which is no directory.` });
  }
  if (generatedDir === sourceRoot || generatedDir === root) {
    issues.push({
      field: 'generate.outDir',
      problem: 'must be a folder of its own: it is for generated files and is never scanned.',
    });
  }
  const entry = (name: ProjectEntryName, explicit: string | undefined, field: string = name) => {
    if (explicit === undefined) return discoverProjectEntry(sourceRoot, name);
    const path = resolve(base, explicit);
    if (!isFile(path)) issues.push({ field, problem: `names ${shown(root, path)}, which does not exist.` });
    return path;
  };
  const entries = {
    app: entry('app', config.app),
    db: entry('db', config.db),
    cloudflare: entry('cloudflare', config.cloudflare),
  };
  const setup = Array.isArray(config.setup)
    ? config.setup.map((path, index) => entry('setup', path, `setup.${index}`))
    : [entry('setup', config.setup)];
  if (issues.length > 0) throw new FlueConfigError(shown(root, configFile ?? root), issues);

  return {
    root,
    config,
    target: config.target ?? 'node',
    sourceRoot,
    generatedDir,
    setup: setup.filter((path) => path !== undefined),
    ...(configFile !== undefined && { configFile }),
    ...(entries.app !== undefined && { app: entries.app }),
    ...(entries.db !== undefined && { db: entries.db }),
    ...(entries.cloudflare !== undefined && { cloudflare: entries.cloudflare }),
  };
}

function shown(root: string, path: string): string {
  return relative(root, path).split(sep).join('/') || '.';
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile();
}

function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
