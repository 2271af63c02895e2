import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { line } from '../examples.test.kit.ts';
import { findingsOnDisk } from '../project-examples.test.kit.ts';
import rule from './rule.ts';

const COPY = '{"name":"@flue/runtime","version":"0.1.0"}';
const HOOK = `import { useInstruction } from '@flue/runtime';
export function useTone() {
  useInstruction('Be kind.');
}
`;
const APP = `'use agent';
import { useModel } from '@flue/runtime';
import { useTone } from '../hooks/tone.ts';
export function Agent() {
  useModel('openai/gpt-5');
  useTone();
}
`;
const project = { 'src/a.ts': APP, 'hooks/tone.ts': HOOK, 'node_modules/@flue/runtime/package.json': COPY };
const ownCopy = 'hooks/node_modules/@flue/runtime';

// Installed packages cannot be committed, so these examples are made here.
describe('FLUE5003 runtime-duplicated', () => {
  it('a linked hook package with its own copy is found, once, by paths of the project', async () => {
    const found = await findingsOnDisk(rule, { ...project, [`${ownCopy}/package.json`]: COPY });
    expect(found.map(line)).toEqual(['src/a.ts:2 FLUE5003 error']);
    expect(found[0]?.message).toBe(
      `Two copies of @flue/runtime are loaded (${ownCopy}, node_modules/@flue/runtime). Deduplicate them.`,
    );
    expect(found[0]?.related).toMatchObject([{ span: { path: 'hooks/tone.ts', line: 1 } }]);
  });

  it('two packages with their own copies are found', async () => {
    const second = { 'other/tone.ts': HOOK, 'other/node_modules/@flue/runtime/package.json': COPY };
    const app = APP.replace('../hooks', '../other').replace("'@flue/runtime'", "'../hooks/model.ts'");
    const model = "export { useModel } from '@flue/runtime';\n";
    const files = { 'src/a.ts': `${app}// of @flue/runtime`, 'hooks/model.ts': model, ...second };
    const found = await findingsOnDisk(rule, { ...files, [`${ownCopy}/package.json`]: COPY });
    expect(found.map(line)).toEqual(['other/tone.ts:1 FLUE5003 error']);
  });

  it('one copy for all, and two links to one copy, are accepted', async () => {
    expect(await findingsOnDisk(rule, project)).toEqual([]);
    const linked = await findingsOnDisk(rule, project, {
      prepare(root) {
        mkdirSync(dirname(join(root, ownCopy)), { recursive: true });
        symlinkSync(join(root, 'node_modules/@flue/runtime'), join(root, ownCopy), 'junction');
      },
    });
    expect(linked).toEqual([]);
  });

  it('a second copy that only gives types is accepted', async () => {
    const types =
      "import type { AgentProps } from '@flue/runtime';\nexport function useTone(_?: AgentProps) {}\n";
    const files = { ...project, 'hooks/tone.ts': types, [`${ownCopy}/package.json`]: COPY };
    expect(await findingsOnDisk(rule, files)).toEqual([]);
  });
});
