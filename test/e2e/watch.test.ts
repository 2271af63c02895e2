import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProject } from '../support/project.ts';

const bin = fileURLToPath(new URL('../../compiler/bin/flue.js', import.meta.url));
const agent = (body: string) => `'use agent';
import { useModel } from '@flue/runtime';
export function Orders() { ${body} }
`;

describe('flue check --watch, as a command', { timeout: 60_000 }, () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('checks again on an edit and ends on %s with %i (CHK-09, CLI-05)', async (signal, code) => {
    const project = createProject({ 'src/a.ts': agent("useModel('offline/demo');") });
    onTestFinished(project.remove);
    const child = spawn(process.execPath, [bin, 'check', '--watch', '--format', 'json', '--quiet'], {
      cwd: project.root,
      env: { PATH: process.env.PATH },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let errors = '';
    child.stderr.on('data', (data) => {
      errors += data;
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const rules = async () =>
      JSON.parse((await lines.next()).value).diagnostics.map(({ rule }: { rule: string }) => rule);

    expect(await rules()).toEqual([]);
    project.write({ 'src/a.ts': agent('') });
    expect(await rules()).toEqual(['FLUE2101']);
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([code, null]);
    expect(errors).toBe('');
  });
});
