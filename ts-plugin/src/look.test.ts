import { memoryHost } from '@flue/compiler/analysis';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import type { EditorHost } from './host.ts';
import { lookAgain } from './look.ts';

function hostOver(files: Record<string, string>): EditorHost {
  return {
    ...memoryHost(ts, files),
    readOutside: () => undefined,
    outside: () => new Map(),
    stillTrue: (lowered) => new Map([...lowered].filter(([path, { text }]) => files[path] === text)),
  };
}

describe('a look after an edit', () => {
  it('takes over what the edit does not concern, and finds what a first look finds (CACHE-03, RULE-35)', () => {
    const files: Record<string, string> = {};
    for (let i = 10; i < 50; i++)
      files[`src/a${i}.ts`] =
        `'use agent';\nimport { useModel } from '@flue/runtime';\nexport function A${i}() { useModel('a/b'); }\n`;
    const paths = Object.keys(files);
    const host = hostOver(files);
    const first = lookAgain(host, paths, {}, undefined, false);
    files['src/a20.ts'] = "'use agent';\nexport function A20() {}\n";
    const second = lookAgain(host, paths, {}, first, true);

    const kept = second.analysis.project.parts.filter((part) => first.analysis.project.parts.includes(part));
    expect(kept).toHaveLength(first.analysis.project.parts.length - 1);
    expect([...second.findings.keys()]).toEqual(['src/a20.ts']);
    expect(second.findings).toEqual(lookAgain(host, paths, {}, undefined, false).findings);
  });
});
