import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isMarkdown, isSkill, markdownModule } from './markdown-modules.ts';

let root = '';
afterEach(() => rmSync(root, { recursive: true, force: true }));

function folderWith(files: Readonly<Record<string, string>>): string {
  root = mkdtempSync(join(tmpdir(), 'flue-markdown-'));
  mkdirSync(join(root, 'guide'));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, 'guide', path), text);
  return join(root, 'guide');
}

describe('an import of Markdown', () => {
  it('is left to the bundler when it has a query (SKILL-10)', () => {
    expect(['/a/b.md', '/a/SKILL.md'].map(isMarkdown)).toEqual([true, true]);
    expect(['/a/b.md?raw', '/a/SKILL.md?url', '/a/b.mdx', '\0x.md'].map(isMarkdown)).toEqual(
      Array(4).fill(false),
    );
    expect(['/a/SKILL.md', 'C:\\a\\SKILL.md', '/a/MY-SKILL.md'].map(isSkill)).toEqual([true, true, false]);
  });

  it('is its text, whatever that holds (SKILL-10)', () => {
    const text = 'a `b` ${c} "__proto__": \u2028\n';
    const module = markdownModule(join(folderWith({ 'a.md': text }), 'a.md'), root);
    expect(module).toMatchObject({ files: [join(root, 'guide/a.md')] });
    const code = (module as { code: string }).code;
    expect(new Function(code.replace('export default', 'return'))()).toBe(text);
  });

  it('of a skill holds every file of its directory, whatever its name (SKILL-10)', () => {
    const skill = '---\nname: guide\ndescription: Guides.\n---\n# Guide\n';
    const module = markdownModule(join(folderWith({ 'SKILL.md': skill, __proto__x: 'x' }), 'SKILL.md'), root);
    expect(module).toMatchObject({ files: [join(root, 'guide/SKILL.md'), join(root, 'guide/__proto__x')] });
    writeFileSync(join(root, 'guide', '__proto__'), 'kept');
    const { code } = markdownModule(join(root, 'guide/SKILL.md'), root) as { code: string };
    const argument = /__fluePackageSkill\((.*)\);\n$/s.exec(code)![1];
    const { files } = new Function(`return ${argument}`)();
    expect(Object.entries(files)).toContainEqual(['__proto__', 'kept']);
  });

  it('that is no skill is a problem that names the file (SKILL-12)', () => {
    const file = join(folderWith({ 'SKILL.md': '# Guide' }), 'SKILL.md');
    expect(markdownModule(file, root)).toEqual({ problem: expect.stringContaining(`${file} is no skill`) });
  });
});
