import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { line } from '../examples.test.kit.ts';
import { findingsOnDisk, runProjectExamples } from '../project-examples.test.kit.ts';
import { looksLikeSecret } from './looks-like-secret.ts';
import rule from './rule.ts';

// FLUE5015 (CFG-13): every example of the folder is run as a project on disk.
runProjectExamples(rule, import.meta.url);

const prepare = (cwd: string) => {
  execFileSync('git', ['init', '-q'], { cwd });
  execFileSync('git', ['add', '-A'], { cwd });
};

describe('an environment file', () => {
  it('that git tracks is found by its first value, which goes nowhere (EFILE-03)', async () => {
    const files = { '.env': 'EMPTY=\n# NOTE=1\nKEY="abc"\nMORE=2\n' };
    const found = await findingsOnDisk(rule, files, { prepare });
    expect(found.map(line)).toEqual(['.env:3 FLUE5015 warning']);
    expect(JSON.stringify(found)).not.toContain('abc');
  });

  it('is nobody’s business while it is not tracked, empty, or an example', async () => {
    expect(await findingsOnDisk(rule, { '.env': 'KEY=abc' })).toEqual([]);
    const files = { '.env': 'KEY=\nOTHER=""\n', '.env.example': 'KEY=your-key' };
    expect(await findingsOnDisk(rule, files, { prepare })).toEqual([]);
  });
});

describe('a text', () => {
  it.each([
    'sk-live-0123456789abcdefABCDEF0123456789',
    'Bearer ghp_0123456789abcdefABCDEF',
    'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6',
  ])('%j looks like a credential', (text) => {
    expect(looksLikeSecret(text)).toBe(true);
  });

  it.each([
    'your-key',
    'sk-your-key-here-0000000000',
    'anthropic/claude-haiku-4-5',
    './src/agents/some-long-folder/Version2/app.ts',
    'https://models.example.com/v1',
    'skills-and-other-long-words-of-2026',
    '',
  ])('%j does not', (text) => {
    expect(looksLikeSecret(text)).toBe(false);
  });
});
