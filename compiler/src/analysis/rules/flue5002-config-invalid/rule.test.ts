import { FlueConfigError } from '@flue/runtime/config';
import { describe, expect, it } from 'vitest';
import { loadProject } from '../../../config/load-project.ts';
import { temporaryProject } from '../../../testing/temporary-project.fixture.ts';
import { check } from '../../check/check.ts';
import type { ConfigFault } from '../../project-facts.ts';
import { applyFix, line } from '../examples.test.kit.ts';
import rule from './rule.ts';

const PATH = 'flue.config.ts';

/** The faults that the evaluating host finds. */
async function faultsOf(text: string): Promise<readonly ConfigFault[]> {
  try {
    await loadProject({ root: temporaryProject({ [PATH]: text }) });
    return [];
  } catch (error) {
    if (error instanceof FlueConfigError) return error.issues;
    throw error;
  }
}

async function found(text: string) {
  const faults = await faultsOf(text);
  const facts = () => ({ config: { path: PATH, text, faults } });
  const { diagnostics, failures } = check([], [rule], { facts });
  expect(failures).toEqual([]);
  return diagnostics;
}

describe('FLUE5002 config-invalid', () => {
  it('an unknown field is found where it stands, and respelt', async () => {
    const text = "export default { targt: 'node' };";
    const [diagnostic, ...others] = await found(text);
    expect(others).toEqual([]);
    expect(diagnostic).toMatchObject({
      severity: 'error',
      message: expect.stringMatching(/^flue config: targt is not a field.*"target"/),
      span: { path: PATH, start: text.indexOf('targt'), end: text.indexOf('targt') + 5 },
    });
    const fixed = applyFix({ [PATH]: text }, diagnostic!.fixes[0]!)[PATH]!;
    expect(fixed).toBe("export default { target: 'node' };");
    expect(await found(fixed)).toEqual([]);
  });

  it('so is a rule that does not exist', async () => {
    const diagnostics = await found("export default { check: { rules: { FLUE9999: 'off' } } };");
    expect(diagnostics.map(line)).toEqual([`${PATH}:1 FLUE5002 error`]);
    expect(diagnostics[0]?.message).toContain('FLUE9999');
  });

  it('and an explicit entry that does not exist', async () => {
    const diagnostics = await found("export default {\n  db: './gone.ts',\n};");
    expect(diagnostics.map(line)).toEqual([`${PATH}:2 FLUE5002 error`]);
  });

  it('known rules by name and an empty configuration are accepted', async () => {
    const strict = "{ target: 'node', check: { rules: { 'tool-name-charset': 'error' } } }";
    expect(await found(`export default ${strict};`)).toEqual([]);
    expect(await found('export default {};')).toEqual([]);
  });

  it('a host without the configuration hears nothing', () => {
    expect(check([], [rule], {}).diagnostics).toEqual([]);
  });
});
