import { loadProject, openCompiler } from '@flue/compiler';
import flue from '@flue/unplugin/vite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createProject, type Project } from '../support/project.ts';
import { system, windowsPath } from '../support/windows.ts';

vi.mock('node:path', async (load) => (await import('../support/windows.ts')).pathOf(await load()));
vi.mock('node:fs', async (load) => (await import('../support/windows.ts')).fsOf(await load()));

let project: Project;
afterEach(() => {
  system.isWindows = false;
  project.remove();
});

const agent = (name: string) => `'use agent';
import { useModel, useSkill } from '@flue/runtime';
import returns from '../skills/returns/SKILL.md';
export function ${name}() {
  useModel('offline/demo');
  useSkill(returns);
  return 'Answer.';
}
`;

const files = {
  'src/agents/desk.ts': agent('Desk'),
  'src/app.ts': 'export default { fetch() {} };\n',
  'src/skills/returns/SKILL.md': '---\nname: returns\ndescription: How returns work.\n---\nAsk first.\n',
  'src/skills/returns/ref/terms.md': 'Thirty days.\n',
};

describe('on Windows', () => {
  it('skills are named and listed as elsewhere, and no path has a backslash (PC-020)', async () => {
    project = createProject(files);
    const manifestOf = async (root: string) => {
      const compiler = await openCompiler((await loadProject({ root })).project);
      const { diagnostics, ...compilation } = compiler.compile({ surroundings: { frozen: false } });
      const outputs = Object.fromEntries(compilation.outputs()) as Record<string, string>;
      const manifest = outputs[Object.keys(outputs).find((path) => path.endsWith('manifest.json'))!]!;
      return { manifest, codes: diagnostics.map(({ code }) => code) };
    };
    const elsewhere = await manifestOf(project.root);
    expect(JSON.parse(elsewhere.manifest).skills).toMatchObject([{ name: 'returns' }]);
    system.isWindows = true;
    const here = await manifestOf(windowsPath(project.root));
    expect(here).toEqual(elsewhere);
    expect(here.manifest).not.toContain('\\');
  }, 60_000);

  it.each([
    ['/', (path: string) => path.replaceAll('\\', '/')],
    ['\\', (path: string) => path],
  ])(
    'an edit is taken up that the bundler tells of with %s between names (PC-017)',
    async (_, told) => {
      project = createProject(files);
      system.isWindows = true;
      const root = windowsPath(project.root);
      const plugin = flue() as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
      const context = { addWatchFile() {}, error: (problem: string) => expect.fail(problem) };
      const hook = (name: string) => {
        const given = plugin[name] as unknown as { handler?: () => void } & (() => void);
        return (given.handler ?? given) as unknown as (...args: unknown[]) => Promise<unknown>;
      };
      await hook('configResolved').call(context, { root: told(root), command: 'serve' });
      await hook('buildStart').call(context, {});
      const agents = async () => {
        const loaded = (await hook('load').call(context, '\0flue:virtual:flue/agents')) as
          | string
          | { code: string };
        return typeof loaded === 'string' ? loaded : loaded.code;
      };
      expect(await agents()).toContain('"Desk"');
      project.write({ 'src/agents/desk.ts': agent('Counter') });
      await hook('watchChange').call(context, told(`${root}\\src\\agents\\desk.ts`), { event: 'update' });
      await hook('buildStart').call(context, {});
      expect(await agents()).toContain('"Counter"');
      expect(await agents()).not.toContain('"Desk"');
    },
    60_000,
  );
});
