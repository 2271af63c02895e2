import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bash } from 'just-bash';
import { expect, it } from 'vitest';
import { defineSandboxContractTests } from '../../testing/sandbox-contract/define-sandbox-contract-tests.ts';
import { local } from '../node/local.ts';
import { bash } from './bash.ts';
import { virtual } from './virtual.ts';

await defineSandboxContractTests('virtual()', () => virtual().createSessionEnv({ id: 'a' }));

await defineSandboxContractTests('bash()', async () => {
  const env = await bash(() => new Bash({ cwd: '/home' })).createSessionEnv({ id: 'a' });
  await env.mkdir('/home', { recursive: true });
  return env;
});

await defineSandboxContractTests('local()', {
  create: () => {
    const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'flue-local-')));
    return local({ cwd }).createSessionEnv({ id: 'a' });
  },
  cleanup: async (env) => rmSync(env.cwd, { recursive: true, force: true }),
});

/** What the suite's titles cite, so that the proof of a clause is found from here. */
const CITED =
  'EXE-01 EXE-02 EXE-03 EXE-04 EXE-05 EXE-06 EXE-09 FIL-01 FIL-02 FIL-03 FIL-04 FIL-05 FIL-06 ' +
  'PTH-01 PTH-02 PTH-03 PTH-04';

it('the suite judges every clause that it names (SAPI-07)', async () => {
  const titles: string[] = [];
  const runner = {
    describe: (_title: string, body: () => void) => body(),
    it: (title: string) => void titles.push(title),
    expect,
  };
  await defineSandboxContractTests('titles', () => virtual().createSessionEnv({ id: 'a' }), runner);
  const cited = titles.flatMap((title) => /\(([A-Z]+-\d+)\)$/.exec(title)?.[1] ?? []);
  expect(cited.sort().join(' ')).toBe(CITED);
});
