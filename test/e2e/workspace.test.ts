import { symlinkSync } from 'node:fs';
import { loadProject, openCompiler } from '@flue/compiler';
import { expect, it, onTestFinished } from 'vitest';
import { createProject } from '../support/project.ts';

const alias = '{ "compilerOptions": { "module": "preserve", "paths": { "@/*": ["./src/*"] } } }';
const tool = (name: string) => `import { defineTool } from '@flue/runtime';
import * as v from 'valibot';
export const tool = defineTool({
  name: '${name}',
  description: 'Answers for ${name}.',
  input: v.object({ ${name}: v.string() }),
  run: () => 1,
});
`;

const files = {
  'apps/a/package.json': JSON.stringify({ name: 'a', type: 'module', dependencies: { b: '*' } }),
  'apps/a/tsconfig.json': alias,
  'apps/a/src/x.ts': tool('mine'),
  'apps/a/src/agents/desk.ts': `'use agent';
import { useModel, useTool } from '@flue/runtime';
import { useKit } from 'b';
import { tool } from '@/x';
export function Desk() {
  useModel('offline/demo');
  useTool(tool);
  useKit();
  return 'Answer.';
}
`,
  'packages/b/package.json': JSON.stringify({ name: 'b', type: 'module', exports: './src/index.ts' }),
  'packages/b/tsconfig.json': alias,
  'packages/b/src/x.ts': tool('theirs'),
  'packages/b/src/index.ts': `import { useTool } from '@flue/runtime';
import { tool } from '@/x';
export function useKit() {
  useTool(tool);
}
`,
};

function workspace() {
  const project = createProject(files);
  onTestFinished(project.remove);
  return project;
}

interface Manifest {
  agents: {
    identity: string;
    tools: { name: string; module: string; input: { schema: { properties: object } } }[];
  }[];
}

it('each file of a workspace has the aliases of its own tsconfig (PC-006)', async () => {
  const written = workspace();
  // As an installer links it: an entry of the application's own node_modules.
  written.write({ 'apps/a/node_modules/.keep': '' });
  symlinkSync(written.path('packages/b'), written.path('apps/a/node_modules/b'), 'dir');
  const { project } = await loadProject({ root: written.path('apps/a') });
  const compilation = (await openCompiler(project)).compile();
  expect(compilation.diagnostics).toEqual([]);
  const outputs = Object.fromEntries(compilation.outputs()) as Record<string, string>;
  const file = Object.keys(outputs).find((path) => path.endsWith('manifest.json'))!;
  const [desk] = (JSON.parse(outputs[file]!) as Manifest).agents;
  const tools = desk?.tools.map(({ name, input }) => [name, Object.keys(input.schema.properties)]);
  expect(tools?.sort()).toEqual([
    ['mine', ['mine']],
    ['theirs', ['theirs']],
  ]);
});
