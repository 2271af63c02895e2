import { describe, expect, it } from 'vitest';
import { defineSkill } from './define-skill.ts';
import { SkillDefinitionValidationError, type SkillIssue } from './errors.ts';
import { packageSkill } from './package-skill.ts';

const good = { name: 'refunds-v2', description: 'Process refunds.', instructions: '# Refunds' };
const define = (more: object) => () => defineSkill({ ...good, ...more } as never);

function issuesOf(more: object): readonly SkillIssue[] {
  try {
    define(more)();
  } catch (error) {
    expect(error).toBeInstanceOf(SkillDefinitionValidationError);
    return (error as SkillDefinitionValidationError).meta?.issues as readonly SkillIssue[];
  }
  return [];
}

describe('defineSkill', () => {
  it('returns a frozen definition (SKILL-01)', () => {
    const files = { 'ref/a.md': 'a' };
    const skill = defineSkill({ ...good, files, metadata: { owner: 'ops' } });
    expect(skill).toEqual({ ...good, files, metadata: { owner: 'ops' } });
    for (const part of [skill, skill.files, skill.metadata]) expect(Object.isFrozen(part)).toBe(true);
  });

  it('copies the bytes of its files, so that later changes do not reach it (SKILL-03)', () => {
    const bytes = new Uint8Array([1, 2]);
    const skill = defineSkill({ ...good, files: { 'a.bin': bytes } });
    bytes[0] = 9;
    expect(skill.files?.['a.bin']).toEqual(new Uint8Array([1, 2]));
  });

  it.each([
    ['an upper-case letter', { name: 'Refunds' }, ['name']],
    ['a double hyphen', { name: 'a--b' }, ['name']],
    ['a trailing hyphen', { name: 'a-' }, ['name']],
    ['a name that is too long', { name: 'a'.repeat(65) }, ['name']],
    ['no description', { description: undefined }, ['description']],
    ['a blank description', { description: ' ' }, ['description']],
    ['a description that is too long', { description: 'd'.repeat(1025) }, ['description']],
    ['no instructions', { instructions: '' }, ['instructions']],
    ['a license that is no string', { license: 1 }, ['license']],
    ['a compatibility that is too long', { compatibility: 'c'.repeat(501) }, ['compatibility']],
    ['metadata that is no map', { metadata: ['a'] }, ['metadata']],
    ['metadata of another type', { metadata: { a: 1 } }, ['metadata', 'a']],
    ['allowed tools in a list', { allowedTools: ['read'] }, ['allowedTools']],
    ['files that are no map', { files: 'a.md' }, ['files']],
    ['a file of another type', { files: { 'a.md': 1 } }, ['files', 'a.md']],
  ])('refuses %s (SKILL-02)', (_, more, path) => {
    expect(issuesOf(more)).toEqual([{ path, message: expect.any(String) }]);
  });

  it.each(['/a', '../a', 'a/./b', 'a\\b', 'SKILL.md', '', 'a//b', 'a/', 'a\0b', 'C:/a'])(
    'refuses the file path %j (SKILL-02)',
    (path) => {
      expect(issuesOf({ files: { [path]: 'x' } })).toMatchObject([{ path: ['files', path] }]);
    },
  );

  it('takes what is exactly at the limits, in code points after trimming (SKILL-02)', () => {
    const atLimit = {
      name: 'a'.repeat(64),
      description: ` ${'😀'.repeat(1024)}\n`,
      compatibility: 'c'.repeat(500),
      license: '',
      allowedTools: 'read bash',
      files: { 'SKILL.md.txt': 'x', 'ref/SKILL.md': 'x', 'a..b/c.d': 'x' },
    };
    expect(issuesOf(atLimit)).toEqual([]);
  });

  it('takes an unknown field for a misspelling (SKILL-03)', () => {
    expect(issuesOf({ file: { 'a.md': 'x' } })).toMatchObject([
      { path: ['file'], message: expect.stringContaining('it takes name, description, instructions') },
    ]);
  });

  it('names every issue at once, the skill and the rule (SKILL-02, ERRT-01)', () => {
    const faulty = define({ description: '', instructions: '', extra: 1 });
    expect(issuesOf({ description: '', instructions: '', extra: 1 })).toHaveLength(3);
    expect(faulty).toThrow(
      /^The skill "refunds-v2" is invalid: description must .*; instructions .*; extra /,
    );
    expect(faulty).toThrow(expect.objectContaining({ meta: expect.objectContaining({ rule: 'FLUE3201' }) }));
    expect(() => defineSkill(undefined as never)).toThrow('must be an object, not undefined');
  });
});

describe('a packaged definition', () => {
  const files = { 'b.md': 'b', 'a.md': 'a' };

  it('is named by its content, whatever the order of its parts (SKILL-04)', () => {
    const { id } = packageSkill(defineSkill({ ...good, files, metadata: { a: '1', b: '2' } }));
    expect(id).toMatch(/^skill:refunds-v2:[0-9a-f]{16}$/);
    const same = { metadata: { b: '2', a: '1' }, files: { 'a.md': Buffer.from('a'), 'b.md': 'b' }, ...good };
    expect(packageSkill(same).id).toBe(id);
  });

  it.each([
    { description: 'Other.' },
    { instructions: 'Other.' },
    { license: 'MIT' },
    { files: { ...files, 'a.md': 'other' } },
    { files: { 'b.md': 'b', 'c.md': 'a' } },
    { files: { 'a.md': 'ab', 'b.md': '' } },
  ])('has another name when its content differs: %j (SKILL-04)', (more) => {
    expect(packageSkill({ ...good, files, ...more }).id).not.toBe(packageSkill({ ...good, files }).id);
  });

  it('is packaged when first needed, and once for a frozen one (SKILL-01)', () => {
    const skill = defineSkill({ ...good, files });
    expect(packageSkill(skill)).toBe(packageSkill(skill));
  });
});
