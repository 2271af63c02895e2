import { loadProject, openCompiler } from '@flue/compiler';
import { renderAgent } from '@flue/runtime/testing';
import flue from '@flue/unplugin/vite';
import { createServer } from 'vite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createProject, type Project } from '../support/project.ts';
import { deskProject } from './support/desk-project.ts';

let project: Project;
afterEach(() => project.remove());

const DESK = 'src/agents/desk.ts';
const LOOKUP = 'src/tools/lookup.ts';

/** Edits of a marked file and of what it imports: logic alone, a tool's schema, the function's name. */
const edits = {
  instruction: { [DESK]: deskProject[DESK].replace('Answer about orders.', 'Answer in rhymes.') },
  schema: { [LOOKUP]: deskProject[LOOKUP].replace('orderNumber: v.number()', 'orderNumber: v.string()') },
  name: {
    [DESK]: deskProject[DESK]
      .replace('Answer about orders.', 'Answer in rhymes.')
      .replace('OrderDesk', 'RhymeDesk'),
    'src/app.ts': deskProject['src/app.ts'].replaceAll('OrderDesk', 'RhymeDesk'),
  },
};

describe('an edit of a marked file, or of one that it imports', () => {
  it('changes what is generated: manifest, types and registration (PC-011)', async () => {
    project = createProject(deskProject);
    const compiler = await openCompiler((await loadProject({ root: project.root })).project);
    const generated = () => {
      const outputs = Object.fromEntries(compiler.compile().outputs()) as Record<string, string>;
      const file = (end: string) => outputs[Object.keys(outputs).find((path) => path.endsWith(end))!]!;
      const [agent] = JSON.parse(file('manifest.json')).agents.filter(
        ({ module }: { module: string }) => module === DESK,
      );
      return { agent, client: file('client.ts'), agents: file('agents.ts') };
    };
    const edit = (files: Record<string, string>) => {
      project.write(files);
      compiler.changed(Object.keys(files));
      return generated();
    };
    const first = generated();
    const logic = edit(edits.instruction);
    expect(logic.agent.sourceHash).not.toBe(first.agent.sourceHash);
    expect(logic.client).toBe(first.client);
    const schema = edit(edits.schema);
    expect(schema.agent.tools[0].input.schema.properties.orderNumber).toEqual({ type: 'string' });
    expect([first.client, schema.client].map((text) => /orderNumber: (\w+)/.exec(text)?.[1])).toEqual([
      'number',
      'string',
    ]);
    const renamed = edit(edits.name);
    expect(renamed.agent.identity).toBe('RhymeDesk');
    for (const text of [renamed.client, renamed.agents]) {
      expect(text).toContain('RhymeDesk');
      expect(text).not.toContain('OrderDesk');
    }
  }, 60_000);

  it('changes what a development server runs (PC-011)', async () => {
    project = createProject(deskProject);
    const server = await createServer({
      ...{ logLevel: 'silent', configFile: false, root: project.root, plugins: [flue()] },
      server: { middlewareMode: true, ws: false },
    });
    const rendered = async () => {
      const module = await server.ssrLoadModule(`/${DESK}`);
      const [name, agent] = Object.entries(module)[0] as [string, Parameters<typeof renderAgent>[0]];
      const { instructions, tools } = renderAgent(agent, { id: '1' });
      return JSON.stringify([name, instructions, tools]);
    };
    const becomes = (text: string) =>
      vi.waitFor(async () => expect(await rendered()).toContain(text), { timeout: 20_000 });
    try {
      expect(await rendered()).toContain('Answer about orders.');
      project.write(edits.instruction);
      await becomes('Answer in rhymes.');
      const before = await rendered();
      project.write({ [LOOKUP]: deskProject[LOOKUP].replace('Look up one order', 'Find one order') });
      await becomes('Find one order');
      expect(await rendered()).not.toBe(before);
      project.write(edits.name);
      await becomes('RhymeDesk');
    } finally {
      await server.close();
    }
  }, 60_000);
});
