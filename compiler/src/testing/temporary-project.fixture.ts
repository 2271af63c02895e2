import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A project on disk for one test: its real path. Without a `package.json` of its own it gets an empty one. */
export function temporaryProject(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = realpathSync.native(mkdtempSync(join(tmpdir(), 'flue-')));
  folders.push(root);
  addFiles(root, { 'package.json': '{}', ...files });
  return root;
}

export function addFiles(root: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}
