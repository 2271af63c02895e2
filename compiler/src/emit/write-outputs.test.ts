import { existsSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addFiles, temporaryProject } from '../testing/temporary-project.fixture.ts';
import { GENERATED_NOTICE } from './compiler-version.ts';
import { NotGeneratedError, writeOutputs } from './write-outputs.ts';

const content = (text: string) => `// ${GENERATED_NOTICE}\n${text}\n`;

describe('writeOutputs', () => {
  it('ignores the folder in git when it creates it, and only then (EMIT-01)', () => {
    const root = temporaryProject({ 'old/.keep': '' });
    for (const name of ['new', 'old']) {
      const folder = join(root, name);
      writeOutputs(folder, [{ path: join(folder, 'a.ts'), content: content('1') }]);
    }
    expect(readFileSync(join(root, 'new/.gitignore'), 'utf8')).toBe('*\n');
    expect(existsSync(join(root, 'old/.gitignore'))).toBe(false);
  });

  it('does not touch a file whose bytes stay (EMIT-02)', () => {
    const folder = join(temporaryProject({}), '.flue');
    const outputs = ['a.ts', 'b.ts'].map((name) => ({ path: join(folder, name), content: content(name) }));
    expect(writeOutputs(folder, outputs)).toEqual(outputs.map(({ path }) => path));
    utimesSync(outputs[0]!.path, 1, 1);
    const changed = { path: outputs[1]!.path, content: content('new') };
    expect(writeOutputs(folder, [outputs[0]!, changed])).toEqual([changed.path]);
    expect(statSync(outputs[0]!.path).mtimeMs).toBe(1000);
    expect(readFileSync(changed.path, 'utf8')).toBe(content('new'));
  });

  it('writes nothing at all when one file cannot be written (GEN-03)', () => {
    const root = temporaryProject({ '.flue/a.ts': content('old'), '.flue/file': '' });
    const folder = join(root, '.flue');
    const outputs = ['a.ts', 'file/b.ts'].map((name) => ({
      path: join(folder, name),
      content: content('new'),
    }));
    expect(() => writeOutputs(folder, outputs)).toThrow();
    expect(readFileSync(join(folder, 'a.ts'), 'utf8')).toBe(content('old'));
    expect(readdirSync(folder).sort()).toEqual(['a.ts', 'file']);
  });

  it('never overwrites a file that it did not write (GEN-05)', () => {
    const root = temporaryProject({ '.flue/a.ts': 'export const mine = 1;' });
    const path = join(root, '.flue/a.ts');
    expect(() => writeOutputs(join(root, '.flue'), [{ path, content: content('x') }])).toThrow(
      NotGeneratedError,
    );
    expect(readFileSync(path, 'utf8')).toBe('export const mine = 1;');
    const folder = { path: join(root, 'src'), content: content('x') };
    addFiles(root, { 'src/a.ts': '' });
    expect(() => writeOutputs(root, [folder])).toThrow(NotGeneratedError);
  });
});
