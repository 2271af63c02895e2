import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PersistenceAdapter } from '../../ports/store.ts';
import { defineStoreContractTests } from '../../testing/store-contract/define-store-contract-tests.ts';
import { createSqliteAdapter } from './sqlite.ts';

let folder = '';
let clock: () => number = Date.now;
// The suite makes some ten thousand commits; their syncs are the disk's business and tested beside the adapter.
const open = () => createSqliteAdapter(join(folder, 'flue.db'), { synchronous: 'normal' }, clock);

await defineStoreContractTests('sqlite file', {
  async create(now) {
    folder = mkdtempSync(join(tmpdir(), 'flue-store-'));
    clock = now;
    return open();
  },
  connect2: async () => open(),
  reopen: async () => open(),
  cleanup: async () => rmSync(folder, { recursive: true, force: true }),
  modelSteps: 2000,
});

let memory: PersistenceAdapter;

await defineStoreContractTests('sqlite memory', {
  async create(now) {
    memory = createSqliteAdapter(':memory:', {}, now);
    return memory;
  },
  // One process, one connection: a second handle is the same store.
  connect2: async () => memory,
  cleanup: async () => {},
  modelSteps: 2000,
});
