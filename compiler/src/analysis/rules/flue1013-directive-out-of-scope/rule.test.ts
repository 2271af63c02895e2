import { describe, expect, it } from 'vitest';
import { AGENT } from '../../../testing/sources.fixture.ts';
import { findingsOnDisk, runProjectExamples } from '../project-examples.test.kit.ts';
import rule from './rule.ts';

// FLUE1013: every example of the folder is run as a project on disk.
runProjectExamples(rule, import.meta.url);

const sources = { 'src/app.ts': 'export default {};' };
const reasons = async (files: Record<string, string>) =>
  (await findingsOnDisk(rule, { ...sources, ...files })).map(({ message }) => /\((.*)\)/.exec(message)?.[1]);

describe('a marked file that is not scanned', () => {
  it.each([
    ['lib/a.ts', 'it lies outside the source root src'],
    ['src/a.cts', 'its extension .cts is not scanned'],
    ['src/.drafts/a.ts', 'its directory is excluded'],
  ])('%s: %s', async (path, reason) => {
    expect(await reasons({ [path]: AGENT })).toEqual([reason]);
  });

  it('is none that is imported: it registers with whoever imports it (RULE-16)', async () => {
    const files = { 'lib/a.ts': AGENT, 'src/app.ts': "export { Orders } from '../lib/a.ts';" };
    expect(await reasons(files)).toEqual([]);
  });

  it('is no package, no test, no output of a build and no other project (FLUE1013.n1, FLUE1013.n2, CHK-03)', async () => {
    const paths = [
      'node_modules/k/a.ts',
      'tests/a.ts',
      'src/a.test.tsx',
      'dist/a.js',
      'src/dist/a.js',
      'pkg/a.ts',
    ];
    const files = Object.fromEntries(paths.map((path) => [path, AGENT]));
    expect(await reasons({ ...files, 'pkg/package.json': '{}' })).toEqual([]);
  });
});
