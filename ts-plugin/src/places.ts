import { posix } from 'node:path';
import type ts from 'typescript';

/** In the order in which they win (CFG-02). */
const FLUE_CONFIGS = ['ts', 'mts', 'mjs', 'js', 'cjs', 'cts'].map((extension) => `flue.config.${extension}`);

/** Where files lie, as the editor sees its disk. Absolute paths have `/` separators, as all of TypeScript's do. */
export interface Places {
  /** the identity of a file (RULE-11) */
  realPath(path: string): string;
  /** the project that a file belongs to: the nearest folder with a Flue config or a `package.json` (CHK-03) */
  rootOf(path: string): string | undefined;
  projectPath(root: string, realPath: string): string;
  absolute(root: string, projectPath: string): string;
  /** the Flue config of a root, as absolute path */
  configOf(root: string): string | undefined;
  fileExists(path: string): boolean;
  directoryExists(path: string): boolean;
  /** an open document first, then the disk */
  read(path: string): string | undefined;
  /** changes when what `read` gives may have changed */
  versionOf(path: string): string;
  /** files came or went: links and projects may be others */
  forget(): void;
}

export function createPlaces({
  project,
  languageServiceHost,
  serverHost,
}: ts.server.PluginCreateInfo): Places {
  const realPaths = new Map<string, string>();
  const roots = new Map<string, string | undefined>();
  const fileExists = (path: string) => languageServiceHost.fileExists(path);
  const scriptInfo = (path: string) => project.projectService.getScriptInfo(path);

  const configOf = (root: string) =>
    FLUE_CONFIGS.map((name) => posix.join(root, name)).find((path) => fileExists(path));

  const rootAbove = (directory: string): string | undefined => {
    if (roots.has(directory)) return roots.get(directory);
    const parent = posix.dirname(directory);
    const isRoot = fileExists(posix.join(directory, 'package.json')) || configOf(directory) !== undefined;
    const root = isRoot ? directory : parent === directory ? undefined : rootAbove(parent);
    roots.set(directory, root);
    return root;
  };

  return {
    realPath(path) {
      let real = realPaths.get(path);
      if (real === undefined) {
        real = (serverHost.realpath?.(path) ?? path).replaceAll('\\', '/');
        realPaths.set(path, real);
      }
      return real;
    },
    rootOf: (path) => rootAbove(posix.dirname(path)),
    projectPath: (root, realPath) => posix.relative(root, realPath),
    absolute: (root, projectPath) => posix.join(root, projectPath),
    configOf,
    fileExists,
    directoryExists: (path) => serverHost.directoryExists(path),
    read(path) {
      const open = scriptInfo(path)?.getSnapshot();
      return open === undefined ? serverHost.readFile(path) : open.getText(0, open.getLength());
    },
    versionOf: (path) =>
      scriptInfo(path)?.getLatestVersion() ??
      `on disk ${serverHost.getModifiedTime?.(path)?.getTime() ?? 'never'}`,
    forget() {
      realPaths.clear();
      roots.clear();
    },
  };
}
