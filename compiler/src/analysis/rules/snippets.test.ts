import type { FlueConfigError } from '@flue/runtime/config';
import { RULES } from '@flue/runtime/internal';
import { describe, expect, it } from 'vitest';
import { loadProject } from '../../config/load-project.ts';
import { temporaryProject } from '../../testing/temporary-project.fixture.ts';
import { check } from '../check/check.ts';
import type { Diagnostic } from '../diagnostic.ts';
import type { Rule } from './define-rule.ts';
import { analyseExample } from './examples.test.kit.ts';
import { rules } from './index.ts';
import { findingsOnDisk } from './project-examples.test.kit.ts';
import { readSnippets, type Snippet } from './snippets.test.kit.ts';
import { analyseTyped } from './typed-examples.test.kit.ts';

const snippets = readSnippets();
const CONFIG = 'flue.config.ts';
/** Files beside modules decide, or where the modules lie. */
const ON_DISK = /^FLUE(?:1013|1107|1108|3202|3204|5011|5015)$/;

function findingsOf(rule: Rule, snippet: Snippet): Promise<readonly Diagnostic[]> | readonly Diagnostic[] {
  const { code, files, words } = snippet;
  if (code === 'FLUE5002') return faultsOfConfig(rule, files);
  if (ON_DISK.test(code) || words.includes('default')) return findingsOnDisk(rule, files);
  const { diagnostics, failures } = rule.tier === 'T' ? analyseTyped(files) : analyseExample(rule, files);
  expect(failures).toEqual([]);
  return diagnostics.filter((diagnostic) => diagnostic.code === code);
}

/** The configuration is read by the host that evaluates it; the rule says where its faults are written. */
async function faultsOfConfig(rule: Rule, files: Snippet['files']): Promise<readonly Diagnostic[]> {
  const text = files[CONFIG]!;
  const faults = await loadProject({ root: temporaryProject({ [CONFIG]: text }) }).then(
    () => [],
    (error: FlueConfigError) => error.issues,
  );
  return check([], [rule], { facts: () => ({ config: { path: CONFIG, text, faults } }) }).diagnostics;
}

describe.each(rules.filter(({ code }) => snippets.some((snippet) => snippet.code === code)))(
  '$code $name',
  (rule) => {
    it.each(snippets.filter(({ code }) => code === rule.code))('$text (RULE-38)', async (snippet) => {
      const found = await findingsOf(rule, snippet);
      expect(found).toHaveLength(snippet.isBad ? (snippet.words.includes('twice') ? 2 : 1) : 0);
      if (snippet.words.includes('info')) expect(found[0]?.severity).toBe('info');
    });
  },
);

it('every rule of the catalogue has snippets, or its cases are told in words and built by its own test (RULE-38)', () => {
  const inWords = Object.keys(RULES).filter((code) => !snippets.some((snippet) => snippet.code === code));
  expect(inWords).toEqual([
    'FLUE3405',
    'FLUE4011',
    'FLUE5003',
    'FLUE5004',
    'FLUE5006',
    'FLUE5009',
    'FLUE5010',
    'FLUE5012',
    'FLUE5016',
  ]);
});
