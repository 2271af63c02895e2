import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addFiles, temporaryProject } from '../testing/temporary-project.fixture.ts';
import {
  existsSync,
  holds,
  isFile,
  openTrace,
  type Probe,
  readdirSync,
  readFileSync,
  realpathSync,
} from './disk.ts';

function traceOf(work: () => unknown): Probe[] {
  const tracer = openTrace();
  tracer.during(() => {
    try {
      work();
    } catch {
      // What failed is noted as well.
    }
  });
  return [...tracer.probes.values()];
}

const NOBODY = () => '';
const NOW = Date.now();
const stillHolds = (probes: readonly Probe[], writtenAt = NOW) => holds(probes, writtenAt, NOBODY);

describe('a trace', () => {
  it.each<[string, (root: string) => unknown, (root: string) => void]>([
    ['text that changes', (r) => readFileSync(join(r, 'a.ts')), (r) => addFiles(r, { 'a.ts': '2' })],
    ['a file that is removed', (r) => readFileSync(join(r, 'a.ts')), (r) => rmSync(join(r, 'a.ts'))],
    ['a file that comes', (r) => readFileSync(join(r, 'b.ts')), (r) => addFiles(r, { 'b.ts': '' })],
    ['a file that is looked for and comes', (r) => isFile(join(r, 'b')), (r) => addFiles(r, { b: '' })],
    ['a folder that takes its place', (r) => isFile(join(r, 'b')), (r) => mkdirSync(join(r, 'b'))],
    ['a listing that grows', (r) => readdirSync(r), (r) => addFiles(r, { 'b.ts': '' })],
    ['a listing whose entry becomes a link', (r) => readdirSync(r), (r) => toLink(r, 'a.ts')],
    ['a link that leads elsewhere', (r) => realpathSync.native(join(r, 'a.ts')), (r) => toLink(r, 'a.ts')],
    ['a folder that comes', (r) => readdirSync(join(r, 'd')), (r) => mkdirSync(join(r, 'd'))],
  ])('sees %s (CACHE-04)', (_, read, change) => {
    const root = temporaryProject({ 'a.ts': '1' });
    const probes = traceOf(() => read(root));
    expect(stillHolds(probes)).toBe(true);
    change(root);
    expect(stillHolds(probes)).toBe(false);
  });

  it('does not trust time alone: same size, same modification time, other text (CACHE-06)', () => {
    const root = temporaryProject({ 'a.ts': '1' });
    const file = join(root, 'a.ts');
    utimesSync(file, 1_000_000, 1_000_000);
    const probes = traceOf(() => readFileSync(file));
    writeFileSync(file, '2');
    utimesSync(file, 1_000_000, 1_000_000);
    expect(stillHolds(probes, NOW + 3_600_000)).toBe(false);
  });

  it('reads a file again unless it is older than the entry by two seconds (CACHE-06)', () => {
    const root = temporaryProject({ 'a.ts': '1' });
    const [[kind, path, , stamp]] = traceOf(() => readFileSync(join(root, 'a.ts'))) as [Probe];
    const touched = Math.max(stamp![1], stamp![2]);
    // An answer that no text gives: it passes only where the text is not looked at.
    const probe: Probe = [kind, path, 'nothing', stamp!];
    expect(stillHolds([probe], touched + 2001)).toBe(true);
    expect(stillHolds([probe], touched + 1999)).toBe(false);
    expect(stillHolds([[kind, path, 'nothing', [2, stamp![1], stamp![2], stamp![3]]]], touched + 2001)).toBe(
      false,
    );
  });

  it('notes nothing outside of its work', () => {
    const root = temporaryProject({ 'a.ts': '1' });
    const tracer = openTrace();
    tracer.during(() => existsSync(join(root, 'a.ts')));
    existsSync(join(root, 'b.ts'));
    expect([...tracer.probes.keys()]).toEqual([`kind ${join(root, 'a.ts')}`]);
  });
});

function toLink(root: string, name: string): void {
  renameSync(join(root, name), join(root, `${name}.old`));
  symlinkSync(join(root, `${name}.old`), join(root, name));
}
