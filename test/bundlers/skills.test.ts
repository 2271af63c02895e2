import { readdirSync, readFileSync } from 'node:fs';
import flue from '@flue/unplugin/vite';
import { build, createServer } from 'vite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createProject, type Project } from '../support/project.ts';
import { converse, startServer } from '../support/server.ts';

let project: Project;
afterEach(() => project.remove());

const skill = (body: string, name = 'returns') => `---
name: ${name}
description: How returns work.
---
${body}
`;

const files = {
  'src/skills/returns/SKILL.md': skill('Ask for the number first.'),
  'src/skills/returns/ref/terms.md': '\uFEFFThirty days.\r\n',
  'src/skills/returns/logo.bin': '\0\u0001',
  'src/notes.md': '# Notes\n',
  'src/agents/desk.ts': `'use agent';
import { useModel, useSkill } from '@flue/runtime';
import notes from '../notes.md';
import returns from '../skills/returns/SKILL.md';

export function Desk() {
  useModel('offline/demo');
  useSkill(returns);
  return notes;
}
`,
  'src/app.ts': `import { createAgentRouter } from '@flue/runtime/routing';
import { Hono } from 'hono';
import { Desk } from './agents/desk.ts';

const app = new Hono();
app.route('/desk', createAgentRouter(Desk));
export default app;
`,
};

const quiet = { logLevel: 'silent', configFile: false } as const;
const bundle = () => build({ ...quiet, root: project.root, build: { minify: true }, plugins: [flue()] });

describe('a build with an imported SKILL.md', () => {
  it('carries its directory in the server, where it is activated and read (SKILL-04, SKILL-10, SKILL-20, SKILL-22)', async () => {
    project = createProject(files);
    await bundle();
    const { skills } = JSON.parse(readFileSync(project.path('dist/manifest.json'), 'utf8'));
    // The server needs nothing of the sources any more.
    project.write({ 'src/skills/returns/SKILL.md': 'gone', 'src/skills/returns/ref/terms.md': 'gone' });
    const server = await startServer(project.path('dist/server.mjs'), {});
    const say = async (body: string) => {
      const { reply } = await converse(`${server.url}/desk/1`, { kind: 'user', body });
      return (reply as { text: string }).text;
    };
    try {
      const briefing = await say('Use activate_skill with name: returns');
      expect(briefing).toContain('Ask for the number first.');
      const path = /- ref\/terms\.md: (\S+)/.exec(briefing)![1];
      // The id is the one that the manifest tells.
      expect(path).toBe(`/.flue/packaged-skills/${encodeURIComponent(skills[0].id)}/ref/terms.md`);
      expect(await say(`Use read_skill_resource with path: ${path}`)).toContain('Thirty days.');
    } finally {
      await server.stop();
    }
    const chunks = readdirSync(project.path('dist/chunks'));
    const texts = chunks.map((chunk) => readFileSync(project.path(`dist/chunks/${chunk}`), 'utf8'));
    expect(texts.join('')).toContain('# Notes');
  }, 60_000);

  it('fails for one that is no skill, or that would carry a credential, with the rule that says why (SKILL-12, SKILL-13)', async () => {
    project = createProject({ ...files, 'src/skills/returns/SKILL.md': skill('Body.', 'refunds') });
    await expect(bundle()).rejects.toThrow(/must be that of its directory, "returns"(?:.|\n)*FLUE3202/);
    project.write({ ...files, 'src/skills/returns/.env': 'KEY=1' });
    await expect(bundle()).rejects.toThrow(/would package \.env(?:.|\n)*FLUE3204/);
  }, 60_000);

  it('fails for an import that is dynamic, or that leads nowhere (SKILL-11)', async () => {
    project = createProject({
      ...files,
      'src/late.ts': `import { useSkill } from '@flue/runtime';
export const late = () => import('./skills/returns/SKILL.md').then(({ default: skill }) => useSkill(skill));
`,
    });
    await expect(bundle()).rejects.toThrow(/FLUE3203/);
    project.write({
      'src/late.ts': `import '@flue/runtime';\nimport skill from './skills/none/SKILL.md';\nexport { skill };\n`,
    });
    await expect(bundle()).rejects.toThrow(/FLUE3203/);
  }, 60_000);
});

describe('a development server', () => {
  it('takes up an edit of any file of the directory (SKILL-11)', async () => {
    project = createProject(files);
    const server = await createServer({
      ...quiet,
      root: project.root,
      server: { middlewareMode: true, ws: false },
      plugins: [flue()],
    });
    try {
      const load = async () => {
        const module = await server.ssrLoadModule('/src/skills/returns/SKILL.md');
        return module.default as { id: string };
      };
      const first = await load();
      expect(await load()).toBe(first);
      project.write({ 'src/skills/returns/ref/terms.md': 'Sixty days.\n' });
      await vi.waitFor(async () => expect((await load()).id).not.toBe(first.id), { timeout: 20_000 });
    } finally {
      await server.close();
    }
  }, 60_000);
});
