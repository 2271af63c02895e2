import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const bin = fileURLToPath(new URL('../../compiler/bin/flue.js', import.meta.url));

/** Runs the command as it would run under an engine that says these versions of itself. */
function flueUnder(versions: Record<string, string>) {
  const claim = `Object.defineProperty(process, 'versions', { value: { ...process.versions, ...${JSON.stringify(versions)} } });`;
  const preload = `data:text/javascript,${encodeURIComponent(claim)}`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', preload, bin, '--version'], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('the launcher', () => {
  it('turns an engine away that is too old, in one line that names both versions (PC-068)', () => {
    expect(flueUnder({ node: '20.18.3' })).toEqual({
      status: 2,
      stdout: '',
      stderr: 'flue needs Node >= 20.19; this is Node 20.18.3.\n',
    });
  });

  it('asks Bun for no version of Node, whichever one it says to be (PC-068)', () => {
    const version = execFileSync(process.execPath, [bin, '--version'], { encoding: 'utf8' });
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(flueUnder({ node: '18.0.0', bun: '1.2.0' })).toEqual({ status: 0, stdout: version, stderr: '' });
  });
});
