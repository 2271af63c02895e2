import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RULES } from '@flue/runtime/internal';
import { describe, expect, it } from 'vitest';
import { analyseExample, readExamples } from './examples.test.kit.ts';
import { rules } from './index.ts';

const here = dirname(fileURLToPath(import.meta.url));
const folders = readdirSync(here).filter((name) => /^flue\d/.test(name));

describe('the catalogue', () => {
  it('has one folder per rule, named by code and name, and one line in the index', () => {
    const expected = rules.map((rule) => `${rule.code.toLowerCase()}-${rule.name}`);
    expect(folders).toEqual(expected);
    expect(new Set(expected).size).toBe(expected.length);
    for (const rule of rules) expect(RULES[rule.code]).toBe(rule.name);
  });

  it('is whole: as many folders as the contract has codes', () => {
    const found: readonly string[] = rules.map(({ code }) => code);
    expect(found).toEqual(Object.keys(RULES));
    expect(folders.length).toBe(found.length);
  });

  it.each(folders)('%s has its page and its test', (folder) => {
    const page = readFileSync(join(here, folder, 'README.md'), 'utf8');
    expect(page).toContain(folder.slice(0, 8).toUpperCase());
    expect(page).toContain('## Instead');
    expect(existsSync(join(here, folder, 'rule.test.ts'))).toBe(true);
  });

  /** Good examples of one rule that another one rightly remarks on. */
  const remarked: Readonly<Record<string, readonly string[]>> = {
    'flue1011-agent-wrapped/good-2.ts': ['FLUE1112'],
  };

  it('no good example is reported as an error or a warning by any rule (PERF-15, RULE-16)', () => {
    const wrong: string[] = [];
    for (const rule of rules) {
      const folder = `${rule.code.toLowerCase()}-${rule.name}`;
      const path = join(here, folder, 'examples');
      if (!existsSync(path)) continue;
      for (const example of readExamples(path)) {
        if (!example.name.startsWith('good')) continue;
        for (const { code, severity, message } of analyseExample(rule, example.files).diagnostics) {
          if (severity !== 'error' && severity !== 'warning') continue;
          if (!remarked[`${folder}/${example.name}`]?.includes(code))
            wrong.push(`${folder}/${example.name}: ${code} ${message}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});
