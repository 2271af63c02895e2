import { afterAll, beforeAll } from 'vitest';
import { type CrashFolder, type CrashFolders, openCrashFolders, type Play } from './crash-folder.ts';

/**
 * The folders of a test file: its worker is bundled before the first test, and after the last one whatever still runs
 * is killed and everything is removed.
 */
export function crashFolders(play: Play): Pick<CrashFolders, 'create'> {
  let folders: CrashFolders | undefined;
  const created: CrashFolder[] = [];
  beforeAll(async () => {
    folders = await openCrashFolders(play);
  });
  afterAll(async () => {
    await Promise.all(created.map((folder) => folder.remove()));
    folders?.remove();
  });
  return {
    create() {
      if (!folders)
        throw new Error('Folders are created by tests: nothing is bundled before the first of them.');
      const folder = folders.create();
      created.push(folder);
      return folder;
    },
  };
}
