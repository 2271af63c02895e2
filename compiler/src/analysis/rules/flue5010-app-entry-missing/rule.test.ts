import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { AGENT } from '../../../testing/sources.fixture.ts';
import { analyse } from '../../analyse.ts';
import { check } from '../../check/check.ts';
import { memoryHost } from '../../memory-host.ts';
import { findingsOnDisk, runProjectExamples } from '../project-examples.test.kit.ts';
import rule from './rule.ts';

// FLUE5010: every example of the folder is run as a project on disk.
runProjectExamples(rule, import.meta.url);

const files = { 'src/a.ts': AGENT };
const layout = {
  sourceRoot: 'src',
  generatedDir: '.flue',
  app: undefined,
  db: undefined,
  home: { path: 'package.json', text: '{}' },
};

describe('a build of an application', () => {
  const found = (facts: object) =>
    analyse(Object.keys(files), memoryHost(ts, files), { facts: () => ({ layout, ...facts }) }).diagnostics;

  it('fails without an entry (FLUE5010)', () => {
    expect(found({ application: 'built' })).toMatchObject([{ code: rule.code, severity: 'error' }]);
  });

  it('of anything else needs none (FLUE5010.n1)', async () => {
    expect(found({})).toEqual([]);
    expect(check([], [rule], { facts: () => ({ application: 'built', layout }) }).diagnostics).toEqual([]);
    expect(await findingsOnDisk(rule, files)).toEqual([]);
  });
});
