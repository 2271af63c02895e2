import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findingsOnDisk, runProjectExamples } from '../project-examples.test.kit.ts';
import rule from './rule.ts';

// FLUE3204: every example of the folder is run as a project on disk.
runProjectExamples(rule, import.meta.url);

const skill = {
  'src/app.ts': "import s from './skills/a/SKILL.md';\nexport { s };\n",
  'src/skills/a/SKILL.md': '---\nname: a\ndescription: d\n---\nx',
};
const found = async (files: Record<string, string>, prepare?: (root: string) => void) => {
  const check = prepare ? { prepare } : {};
  const findings = await findingsOnDisk(rule, { ...skill, ...files }, check);
  return findings.map(({ message, severity }) => `${severity} ${message}`);
};

describe('the directory of a skill', () => {
  it('holds no symbolic link (SKILL-13)', async () => {
    const link = (root: string) =>
      symlinkSync(join(root, 'package.json'), join(root, 'src/skills/a/link.md'));
    expect(await found({}, link)).toEqual(['error Skill "a" would package link.md: it is a symbolic link.']);
  });

  it.each(['.ssh/config', 'deep/Secrets.json', '.dev.vars.local', 'id_ed25519'])(
    'nor %s (SKILL-13)',
    async (path) => {
      expect(await found({ [`src/skills/a/${path}`]: 'x' })).toEqual([
        expect.stringMatching(/^error .* holds credentials\.$/),
      ]);
    },
  );

  it('is better without a file over 1 MiB', async () => {
    const large = { 'src/skills/a/large.txt': 'x'.repeat(1024 * 1024 + 1) };
    expect(await found(large)).toEqual([
      'warning Skill "a" would package large.txt: it is larger than 1 MiB.',
    ]);
    expect(await found({ 'src/skills/a/large.txt': 'x'.repeat(1024 * 1024) })).toEqual([]);
  });

  it('may hold what packaging skips (FLUE3204.n1)', async () => {
    const skipped = ['node_modules/k/.env', '.git/secret', '.DS_Store', 'notes.md~', 'dist/a.pem'];
    expect(await found(Object.fromEntries(skipped.map((path) => [`src/skills/a/${path}`, 'x'])))).toEqual([]);
  });
});
