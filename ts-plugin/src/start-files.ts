import { posix } from 'node:path';
import type { EditorConfig } from './flue-config.ts';
import { mentionsFlue } from './mentions-flue.ts';
import type { Places } from './places.ts';
import type { Snapshot } from './snapshots.ts';

/** What the directive scan takes (CFG-08). */
const SCANNED = /\.(?:ts|mts|js|mjs)$/;
const NEVER = new Set(['node_modules', 'dist', 'output']);
const ENTRIES = ['app', 'db', 'cloudflare', 'setup'] as const;
const ENTRY_EXTENSIONS = ['ts', 'mts', 'js', 'mjs'];

/** The files of the program that a check of one project starts from, by project path, ascending (RULE-09). */
export function findStartFiles(
  root: string,
  { trees }: Snapshot,
  places: Places,
  config: EditorConfig,
): readonly string[] {
  const sourceRoot = sourceRootOf(root, places, config);
  const generated = posix.resolve(root, config.outDir ?? '.flue');
  const isScanned = (path: string) => {
    const inside = within(sourceRoot, path);
    if (inside === undefined || !SCANNED.test(inside) || within(generated, path) !== undefined) return false;
    const folders = inside.split('/').slice(0, -1);
    return folders.every((name) => !name.startsWith('.') && !NEVER.has(name)) && places.rootOf(path) === root;
  };
  const found = [...trees].filter(([path, tree]) => mentionsFlue(tree) && isScanned(path));
  const paths = [...found.map(([path]) => path), ...entriesOf(root, sourceRoot, places, config)];
  return [...new Set(paths)].map((path) => places.projectPath(root, path)).sort();
}

/** `sourceRoot` of the configuration, else `<root>/src`, else the root (CFG-07). */
function sourceRootOf(root: string, places: Places, config: EditorConfig): string {
  if (config.sourceRoot !== undefined) return posix.resolve(root, config.sourceRoot);
  const src = posix.join(root, 'src');
  return places.directoryExists(src) ? src : root;
}

/** Configured entries and those that stand in their usual place (CFG-05). */
function entriesOf(root: string, sourceRoot: string, places: Places, config: EditorConfig): string[] {
  return ENTRIES.flatMap((name) => {
    const named = config.entries[name];
    const candidates =
      named === undefined
        ? ENTRY_EXTENSIONS.map((extension) => posix.join(sourceRoot, `${name}.${extension}`))
        : named.map((path) => posix.resolve(root, path));
    const present = candidates.filter((path) => places.fileExists(path));
    return named === undefined ? present.slice(0, 1) : present;
  }).map((path) => places.realPath(path));
}

function within(folder: string, path: string): string | undefined {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : undefined;
}
