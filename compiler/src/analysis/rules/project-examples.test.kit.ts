import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openCompiler } from '../../compile.ts';
import { loadProject } from '../../config/load-project.ts';
import { temporaryProject } from '../../testing/temporary-project.fixture.ts';
import type { Diagnostic } from '../diagnostic.ts';
import type { Rule } from './define-rule.ts';
import { applyFix, line, readExamples } from './examples.test.kit.ts';

type Files = Readonly<Record<string, string>>;

/** What a check on disk finds in these files, and what its rules broke at. */
export async function checkOnDisk(
  files: Files,
  { frozen = false, prepare }: { frozen?: boolean; prepare?: (root: string) => void } = {},
) {
  const root = temporaryProject(files);
  prepare?.(root);
  const { project } = await loadProject({ root });
  return (await openCompiler(project)).compile({ surroundings: { frozen } });
}

/** The findings of one rule, in a check that no rule broke. */
export async function findingsOnDisk(rule: Rule, ...check: Parameters<typeof checkOnDisk>) {
  const { diagnostics, failures } = await checkOnDisk(...check);
  expect(failures).toEqual([]);
  return diagnostics.filter(({ code }) => code === rule.code);
}

/**
 * Run every example of a rule that reads more than modules, each as a project of its own on disk, and prove of every
 * safe fix that it removes exactly its finding (RULE-36).
 */
export function runProjectExamples(rule: Rule, testUrl: string): void {
  const folder = join(dirname(fileURLToPath(testUrl)), 'examples');
  describe(`${rule.code} ${rule.name}`, () => {
    for (const example of readExamples(folder)) {
      const isBad = example.name.startsWith('bad');
      it(`${example.name} ${isBad ? 'is found' : 'is accepted'}`, async () => {
        const found = await findingsOnDisk(rule, example.files);
        expect(found.map(line).sort()).toEqual(example.expected);
        if (isBad) expect(found.length).toBeGreaterThan(0);
        for (const diagnostic of found) await proveFixes(rule, example.files, found, diagnostic);
      });
    }
  });
}

export async function proveFixes(
  rule: Rule,
  files: Files,
  before: readonly Diagnostic[],
  diagnostic: Diagnostic,
): Promise<void> {
  for (const fix of diagnostic.fixes.filter(({ safe }) => safe)) {
    const after = await findingsOnDisk(rule, applyFix(files, fix));
    expect(after.length, `"${fix.title}" removes its finding at ${line(diagnostic)}`).toBeLessThan(
      before.length,
    );
  }
}
