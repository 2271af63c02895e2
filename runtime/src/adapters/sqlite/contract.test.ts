import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { PersistenceAdapter } from '../../ports/store.ts';
import { defineStoreContractTests } from '../../testing/store-contract/define-store-contract-tests.ts';
import type { StoreTarget, TestRunner } from '../../testing/store-contract/target.ts';
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

/** What the suite's titles cite, so that the proof of a clause is found from here. */
const PROVEN = `
  ABT-01 ABT-06 ADM-01 ADM-03 ADM-04 ADM-05 ADP-02 ADP-04 ATT-01 ATT-02 ATT-03 ATT-04 ATT-06
  BEA-01 BEA-02 BEA-03 BUD-04 CKP-02 CKP-03 CKP-05 CLM-01 CLM-02 CLM-03 CLM-04 CLM-05
  CMT-01 CMT-02 CMT-03 CMT-04 CMT-05 CMT-06 CMT-07 CMT-08
  CTS-01 CTS-02 CTS-03 CTS-04 CTS-05 CTS-06 CTS-07 CTS-08 CTS-09 CTS-10 CTS-11 CTS-12 CTS-14 CTS-15
  JOI-03 OWN-01 OWN-02 OWN-04 OWN-06 OWN-08 OWN-10 OWN-12 PRM-02 PRM-03 PRM-04
  QRY-01 QRY-02 QRY-03 QRY-04 QRY-05 QRY-07 QUE-01 QUE-02 QUE-03 QUE-04 QUE-05 QUE-07 QUE-08
  RCD-42 RCD-45 RET-02 RET-03 RET-04 SQL-05 SQL-08 SQL-14
  STR-01 STR-02 STR-03 STR-05 STR-06 STR-07 STR-09 STR-10 SUB-02 SUB-06 VER-04
`
  .trim()
  .split(/\s+/);

it('registers with the runner it is given, and proves these clauses', async () => {
  const titles: string[] = [];
  const register = (title: string) => void titles.push(title);
  const runner: TestRunner = {
    describe: (_title, body) => body(),
    it: Object.assign(register, { skip: register }),
    expect: expect as unknown as TestRunner['expect'],
  };
  await defineStoreContractTests('any store', {} as StoreTarget, runner);
  const cited = new Set(titles.flatMap((title) => title.match(/\b[A-Z]{3}-\d+\b/g) ?? []));
  expect([...cited].sort()).toEqual(PROVEN);
});
