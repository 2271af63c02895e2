import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { type Analysis, analyse } from '../analyse.ts';
import type { ProjectSettings } from '../compose/project.ts';
import type { Diagnostic, Fix } from '../diagnostic.ts';
import type { ModelInfo } from '../host.ts';
import { memoryHost } from '../memory-host.ts';
import { suggest } from '../suggest.ts';
import type { Rule } from './define-rule.ts';

/**
 * An example is a file, or a folder of files with an `expected.txt`. In a file, `// expect: CODE severity` ends the line
 * of a finding, and `// expect below: CODE severity` stands above it. Good examples expect nothing of their rule.
 */
export interface Example {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** `path:line CODE severity`, sorted */
  readonly expected: readonly string[];
}

/** Tools that examples import; `flags`, `sandbox-kit` and the like are opaque packages. */
const TOOLS = `import { defineTool } from '@flue/runtime';
export const t1 = defineTool({ name: 't1', description: 'one', run() {} });
export const t2 = defineTool({ name: 't2', description: 'two', run() {} });
`;
const MARK = /\/\/ expect( below)?: (FLUE\d{4} \w+)\s*$/;

export function readExamples(folder: string): Example[] {
  return readdirSync(folder)
    .sort()
    .map((name) =>
      statSync(join(folder, name)).isDirectory() ? readFolder(folder, name) : readFile(folder, name),
    );
}

function readFile(folder: string, name: string): Example {
  const text = readFileSync(join(folder, name), 'utf8');
  const path = `src/${name.replace(/^(?:bad|good)-/, 'case-')}`;
  const expected = text.split('\n').flatMap((line, index) => {
    const mark = MARK.exec(line);
    return mark ? [`${path}:${index + (mark[1] ? 2 : 1)} ${mark[2]}`] : [];
  });
  return { name, files: { [path]: text }, expected: expected.sort() };
}

function readFolder(folder: string, name: string): Example {
  const files: Record<string, string> = {};
  let expected: string[] = [];
  for (const entry of readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name, entry);
    if (statSync(path).isDirectory()) continue;
    const text = readFileSync(path, 'utf8');
    if (entry === 'expected.txt') expected = text.split('\n').filter(Boolean);
    else files[relative(join(folder, name), path).replaceAll('\\', '/')] = text;
  }
  return { name, files, expected: expected.sort() };
}

export function analyseExample(rule: Rule, files: Readonly<Record<string, string>>): Analysis {
  // A rule that is off by default is judged turned on.
  const severities =
    rule.severity === 'off' && rule.code !== 'FLUE2203' ? { [rule.code]: rule.whenOn ?? 'hint' } : {};
  return analyse(
    Object.keys(files).filter((path) => /(?<!\.d)\.[cm]?[jt]sx?$/.test(path)),
    memoryHost(ts, { 'src/tools.ts': TOOLS, ...files }, { resolveModelInfo }),
    {
      profile: rule.code === 'FLUE2203' ? 'strict' : 'default',
      severities: severities as Record<string, 'hint'>,
      settings: settingsOf(files),
    },
  );
}

/** A small catalogue, so that examples do not depend on which models are current. */
const CATALOGUE: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['claude-haiku-4-5', 'claude-sonnet-4-6'],
  openai: ['gpt-5', 'gpt-5-mini'],
  openrouter: ['meta-llama/llama-4-scout'],
};

function resolveModelInfo(specifier: string): ModelInfo {
  const slash = specifier.indexOf('/');
  const provider = specifier.slice(0, slash);
  const id = specifier.slice(slash + 1);
  const models = CATALOGUE[provider];
  if (models?.includes(id) || provider === 'cloudflare') return { ok: true, provider, id, source: 'catalog' };
  const problem = models ? 'unknown-model' : 'unknown-provider';
  const known = models ?? Object.keys(CATALOGUE);
  const suggestion = suggest(models ? id : provider, known);
  return { ok: false, problem, provider, id, suggestions: suggestion ? [suggestion] : [], catalogue: '1.0' };
}

/** The entries that a project with these files would have. */
function settingsOf(files: Readonly<Record<string, string>>): ProjectSettings {
  const isWorker = 'src/cloudflare.ts' in files;
  return {
    target: isWorker ? 'cloudflare' : 'node',
    cloudflareEntry: isWorker ? 'src/cloudflare.ts' : undefined,
    appEntry: 'src/app.ts' in files ? 'src/app.ts' : undefined,
  };
}

/** Run every example of a rule's folder, and prove of every safe fix that it removes exactly its finding (RULE-36). */
export function runExamples(rule: Rule, testUrl: string): void {
  const folder = join(dirname(fileURLToPath(testUrl)), 'examples');
  describe(`${rule.code} ${rule.name}`, () => {
    for (const example of readExamples(folder)) {
      it(`${example.name} ${example.name.startsWith('bad') ? 'is found' : 'is accepted'}`, () => {
        const analysis = analyseExample(rule, example.files);
        expect(analysis.failures).toEqual([]);
        const found = analysis.diagnostics.filter(({ code }) => code === rule.code);
        expect(found.map(line).sort()).toEqual(example.expected);
        if (example.name.startsWith('bad')) expect(found.length).toBeGreaterThan(0);
        for (const diagnostic of found) {
          for (const fix of diagnostic.fixes.filter(({ safe }) => safe))
            proveFix(rule, example, found, diagnostic, fix);
        }
      });
    }
  });
}

export function line({ span, code, severity }: Diagnostic): string {
  return `${span.path}:${span.line} ${code} ${severity}`;
}

function proveFix(
  rule: Rule,
  example: Example,
  before: readonly Diagnostic[],
  diagnostic: Diagnostic,
  fix: Fix,
): void {
  const fixed = applyFix(example.files, fix);
  const after = analyseExample(rule, fixed);
  expect(after.failures).toEqual([]);
  const left = after.diagnostics.filter(({ code }) => code === rule.code);
  expect(left.length, `"${fix.title}" removes its finding at ${line(diagnostic)}`).toBeLessThan(
    before.length,
  );
}

export function applyFix(files: Readonly<Record<string, string>>, fix: Fix): Record<string, string> {
  const fixed = { ...files };
  const edits = [...fix.edits].sort((a, b) => b.start - a.start || b.end - a.end);
  for (const { path, start, end, text } of edits) {
    fixed[path] = (fixed[path] ?? '').slice(0, start) + text + (fixed[path] ?? '').slice(end);
  }
  return fixed;
}
