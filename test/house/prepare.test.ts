import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { root } from './workspace.ts';

const prepare = join(root, '.ci/prepare.mjs');

function node(...args: string[]) {
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

describe('getting a clone ready', () => {
  it('costs no word and no failure when everything is installed', () => {
    expect(node(prepare, 'install')).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });

  it('names both versions to a Node that is too old', () => {
    const pretendOldNode = `Object.defineProperty(process.versions, 'node', { value: '20.18.3' });`;
    const program = `${pretendOldNode} process.argv[2] = 'install'; await import('${pathToFileURL(prepare)}');`;
    const { status, stderr } = node('--input-type=module', '--eval', program);
    expect(stderr).toContain('needs Node 20.19 or newer; this is Node 20.18.3');
    expect(stderr).not.toContain('    at ');
    expect(status).toBe(1);
  });

  it('answers a goal that it does not know with the ones it does', () => {
    const { status, stderr } = node(prepare, 'everything');
    expect(stderr).toContain('`install` or `build`');
    expect(status).toBe(1);
  });
});
