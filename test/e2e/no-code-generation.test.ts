import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

it('where code may not be made from text, tools are validated all the same, inputs and outputs (PC-028)', () => {
  const worker = fileURLToPath(new URL('./no-code-generation-worker.ts', import.meta.url));
  const flags = ['--disallow-code-generation-from-strings', '--conditions=flue-source', '--import', 'tsx'];
  const { stdout, stderr } = spawnSync(process.execPath, [...flags, worker], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, FLUE_LOG: 'off' },
    timeout: 50_000,
  });
  expect(stderr).toBe('');
  const { compiles, text, seen } = JSON.parse(stdout) as { compiles: boolean; text: string; seen: string[] };
  expect([compiles, text]).toEqual([false, 'Done.']);
  expect(seen).toEqual([
    '{"eta":"Friday","lines":[{"n":1}]}',
    expect.stringContaining('id'),
    expect.stringContaining('eta'),
    expect.stringContaining('y'),
    expect.stringContaining('a:1:x'),
  ]);
}, 60_000);
