import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ManifestSchema } from '@flue/runtime/internal';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { openCompiler } from '../compile.ts';
import { loadProject } from '../config/load-project.ts';

/** Each folder holds a project and, under `expected`, what is generated from it. */
const PAIRS = join(import.meta.dirname, 'pairs');

// What is not evaluable opens a program for the checker, which takes seconds on a busy machine.
describe.each(readdirSync(PAIRS))('the project %s', { timeout: 60_000 }, (name) => {
  const compile = async () => {
    const { project } = await loadProject({ root: join(PAIRS, name) });
    return (await openCompiler(project)).compile();
  };

  it('gives the expected files (MAN-02, REG-01, EMIT-04, EMIT-05)', async () => {
    const outputs = (await compile()).outputs();
    for (const [path, content] of outputs) {
      await expect(content).toMatchFileSnapshot(join(PAIRS, name, 'expected', path.replace('.flue/', '')));
    }
  });

  it('gives a manifest that its readers take (MAN-01)', async () => {
    expect(v.safeParse(ManifestSchema, (await compile()).manifest()).issues).toBeUndefined();
  });
});
