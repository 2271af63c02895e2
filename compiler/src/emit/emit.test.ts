import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { COMPILER_VERSION, GENERATED_NOTICE, NOTICE_PATTERN } from './compiler-version.ts';
import { closureHash, sourceHash } from './hashes.ts';
import { manifestJsonSchema } from './manifest-schema.ts';
import { importSpecifier } from './specifiers.ts';

describe('the compiler version', () => {
  it('is that of the package (EMIT-04)', () => {
    const path = new URL('../../package.json', import.meta.url);
    expect(COMPILER_VERSION).toBe(JSON.parse(readFileSync(path, 'utf8')).version);
    expect(GENERATED_NOTICE).toMatch(NOTICE_PATTERN);
  });
});

describe('the published JSON Schema of the manifest', () => {
  it('is what the contract says; `vitest -u` refreshes it (MAN-01)', async () => {
    const path = new URL('../../manifest.schema.json', import.meta.url).pathname;
    await expect(manifestJsonSchema()).toMatchFileSnapshot(path);
  });
});

describe('hashes', () => {
  it('are the same for every kind of line end (DET-05)', () => {
    expect(sourceHash('a\r\nb\rc\n')).toBe(sourceHash('a\nb\nc\n'));
    expect(sourceHash('a')).not.toBe(sourceHash('b'));
  });

  it('of a closure depend on files and versions and not on their order (DET-06)', () => {
    const files = [['b.ts', 'sha256:2'] as const, ['a.ts', 'sha256:1'] as const];
    const digest = closureHash(files, { valibot: '1.0.0', x: '2' });
    expect(closureHash([...files].reverse(), { x: '2', valibot: '1.0.0' })).toBe(digest);
    expect(closureHash(files, { valibot: '1.0.1', x: '2' })).not.toBe(digest);
    expect(closureHash(files.slice(1), { valibot: '1.0.0', x: '2' })).not.toBe(digest);
  });
});

describe('import specifiers', () => {
  it('are relative and keep the extension of the source where the project takes it (EMIT-06)', () => {
    expect(importSpecifier('.flue/agents.ts', 'src/a.ts', true)).toBe('../src/a.ts');
    expect(importSpecifier('agents.ts', 'src/a.ts', true)).toBe('./src/a.ts');
  });

  it('name the emitted file elsewhere (EMIT-06)', () => {
    expect(importSpecifier('.flue/agents.ts', 'src/a.ts', false)).toBe('../src/a.js');
    expect(importSpecifier('.flue/agents.ts', 'src/a.mts', false)).toBe('../src/a.mjs');
    expect(importSpecifier('.flue/agents.ts', 'src/a.js', false)).toBe('../src/a.js');
  });
});
