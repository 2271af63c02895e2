import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineSkill } from '../skills/define-skill.ts';
import { __fluePackageSkill } from '../skills/packaged-skills.ts';
import type { SkillReference } from '../skills/skill.ts';
import { renderHooks } from './probe.test.support.ts';
import { useSkill } from './use-skill.ts';

const options = { name: 'faq', description: ' Answers. ', instructions: 'Be short.' };
const mount = (...skills: object[]) =>
  renderHooks('bare', () => skills.forEach((skill) => void useSkill(skill as never)));

describe('useSkill', () => {
  it('takes a definition, the same object inline and an imported skill, in call order (SKILL-05, MOUNT-01)', () => {
    const defined = defineSkill({ ...options, name: 'defined' });
    const files = { 'SKILL.md': 'x' };
    const imported = __fluePackageSkill({ name: 'imported', description: 'd', instructions: 'i', files });
    const { skills } = mount(defined, options, imported);
    expect(skills.map(({ name, description }) => [name, description])).toEqual([
      ['defined', 'Answers.'],
      ['faq', 'Answers.'],
      ['imported', 'd'],
    ]);
  });

  it('checks an inline object as defineSkill does, with the same words (MOUNT-01)', () => {
    const thrownBy = (call: () => unknown) => {
      try {
        call();
      } catch (error) {
        return error;
      }
      return undefined;
    };
    const faulty = { ...options, instructions: '', file: {} };
    const thrown = thrownBy(() => mount(faulty));
    expect(thrown).toEqual(thrownBy(() => defineSkill(faulty as never)));
    expect(thrown).toMatchObject({ type: 'skill_definition_validation' });
  });

  it('mounts per render, so a condition gives and takes (MOUNT-02)', () => {
    let open = false;
    const agent = () => {
      if (open) useSkill(options);
    };
    expect(renderHooks('bare', agent).skills).toEqual([]);
    open = true;
    expect(renderHooks('bare', agent).skills).toHaveLength(1);
  });

  it('throws one name twice from the second mount (SKILL-05, MOUNT-03, AGENT-11)', () => {
    let mounted = 0;
    const twice = () =>
      renderHooks('bare', () => {
        useSkill(options);
        mounted++;
        useSkill({ ...options });
        mounted++;
      });
    expect(twice).toThrow(/two skills are named "faq" in one render.*\(FLUE2104\)$/);
    expect(mounted).toBe(1);
  });

  it('throws at the mount for a reference without its files (SKILL-05)', () => {
    const imported = __fluePackageSkill({
      name: 'imported',
      description: 'd',
      instructions: 'i',
      files: { 'SKILL.md': 'x' },
    });
    const copy = JSON.parse(JSON.stringify(imported)) as SkillReference;
    for (const reference of [copy, { ...imported }]) {
      expect(() => mount(reference)).toThrow(
        /^\[flue\] useSkill\(\): the reference to the skill "imported" has no/,
      );
    }
  });

  it('works in the frame of a delegate (HOOK-05, DELEG-04)', () => {
    expect(renderHooks('subagent', () => useSkill(options)).skills).toHaveLength(1);
  });

  it('takes what the types say', () => {
    expectTypeOf(useSkill).parameter(0).toExtend<SkillReference | Parameters<typeof defineSkill>[0]>();
    // @ts-expect-error a misspelt field
    const misspelt = () => useSkill({ ...options, file: {} });
    expect(() => renderHooks('root', misspelt)).toThrow('file is not a field of a skill');
  });
});
