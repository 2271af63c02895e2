import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from './workspace.ts';

it('npm start tells what only the tool knows, leaves a manifest, and nothing running', {
  timeout: 120_000,
}, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['examples/orders/start.mjs'], {
    cwd: root,
  });
  expect(stdout).toContain('Where is order 1042?');
  expect(stdout).toContain('lookup_order({"orderNumber":1042})');
  expect(stdout).toContain('packed, leaves Hamburg on Thursday');
  expect(existsSync(join(root, 'examples/orders/.flue/manifest.json'))).toBe(true);

  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0] ?? '';
  await expect(fetch(`${url}/health`)).rejects.toThrow();
});
