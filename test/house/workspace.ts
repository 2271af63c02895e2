import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The workspace as its own tests see it: where it lies, and what its manifests say. */

export const root = fileURLToPath(new URL('../..', import.meta.url));

export const published = ['runtime', 'compiler', 'unplugin', 'ts-plugin'] as const;

type ExportTarget = string | { 'flue-source'?: string; types?: string; default: string };

export interface PackageManifest {
  name: string;
  version: string;
  bin?: Record<string, string>;
  main?: string;
  scripts?: Record<string, string>;
  exports?: Record<string, ExportTarget>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

export interface LockFile {
  packages: Record<string, { name?: string; resolved?: string; link?: boolean; version?: string }>;
}

export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as T;
}

export function packageManifest(folder: string): PackageManifest {
  return readJson(join(folder, 'package.json'));
}
