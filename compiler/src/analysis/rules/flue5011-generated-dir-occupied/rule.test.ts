import { describe, expect, it } from 'vitest';
import { AGENT } from '../../../testing/sources.fixture.ts';
import { line } from '../examples.test.kit.ts';
import { checkOnDisk, findingsOnDisk } from '../project-examples.test.kit.ts';
import rule from './rule.ts';

const found = async (files: Record<string, string>) => (await findingsOnDisk(rule, files)).map(line);

// The generated folder is never committed, so these examples are made here.
describe('FLUE5011 generated-dir-occupied', () => {
  it('an entry in the generated folder is found', async () => {
    const files = { '.flue/app.ts': 'export default {};' };
    expect(await findingsOnDisk(rule, files)).toMatchObject([
      {
        message:
          '.flue is for generated files and is never scanned. Move .flue/app.ts, or set sourceRoot and generate.outDir.',
      },
    ]);
  });

  it('so is a marked file at any depth', async () => {
    const files = { '.flue/agents/a.ts': "// mine\n'use agent'; export function Agent() {}" };
    expect(await found(files)).toEqual(['.flue/agents/a.ts:2 FLUE5011 error']);
  });

  it('an entry elsewhere, the .gitignore and generated files are accepted (FLUE5011.n1)', async () => {
    expect(await found({ 'src/app.ts': 'export default {};' })).toEqual([]);
    expect(await found({ '.flue/.gitignore': '*' })).toEqual([]);
    const { outputs } = await checkOnDisk({ 'src/a.ts': AGENT });
    expect(await found({ 'src/a.ts': AGENT, ...Object.fromEntries(outputs()) })).toEqual([]);
  });

  it('a source root of that name is accepted, with the generated files elsewhere (FLUE5011.n2)', async () => {
    const config = "export default { sourceRoot: '.flue', generate: { outDir: 'generated' } };";
    const files = { 'flue.config.ts': config, '.flue/a.ts': AGENT };
    expect(await found(files)).toEqual([]);
    expect((await checkOnDisk(files)).agents).toHaveLength(1);
  });
});
