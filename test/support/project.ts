import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const workspace = fileURLToPath(new URL('../..', import.meta.url));

/** A project of a user in a temporary folder, with the workspace's packages installed in it. */
export interface Project {
  readonly root: string;
  path(file: string): string;
  write(files: Readonly<Record<string, string>>): void;
  remove(): void;
}

export function createProject(files: Readonly<Record<string, string>>): Project {
  const root = mkdtempSync(join(tmpdir(), 'flue-project-'));
  symlinkSync(join(workspace, 'node_modules'), join(root, 'node_modules'), 'dir');
  const project: Project = {
    root,
    path: (file) => join(root, file),
    write(more) {
      for (const [file, text] of Object.entries(more)) {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), text);
      }
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  project.write({
    'package.json': JSON.stringify({
      name: 'a-project',
      type: 'module',
      dependencies: { '@flue/runtime': '*', hono: '*', valibot: '*' },
    }),
    ...files,
  });
  return project;
}
