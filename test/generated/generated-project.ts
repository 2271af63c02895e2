import { resolve } from 'node:path';
import { loadProject, openCompiler, writeOutputs } from '@flue/compiler';
import { createProject, type Project } from '../support/project.ts';

/** An application with everything generated: an agent that is created with data, and one that takes anything. */
export async function generatedProject(files: Readonly<Record<string, string>> = {}): Promise<Project> {
  const project = createProject({ ...SOURCES, ...files });
  const { project: loaded } = await loadProject({ root: project.root });
  const compilation = (await openCompiler(loaded)).compile();
  if (compilation.diagnostics.length > 0) throw new Error(JSON.stringify(compilation.diagnostics));
  const outputs = [...compilation.outputs()].map(([path, content]) => ({
    path: resolve(project.root, path),
    content,
  }));
  writeOutputs(loaded.generatedDir, outputs);
  return project;
}

const SOURCES = {
  'src/app.ts': `import { Hono } from 'hono';
import { mountAgents } from '../.flue/routes.ts';

const app = new Hono();
mountAgents(app, {
  OrderDesk: {
    path: '/agents/orders',
    authorize: ({ action, c }) => c.req.header('authorization') === 'Bearer let me' || action === 'read',
  },
});

export default app;
`,
  'src/agents/order-desk.ts': `'use agent';
import { useDataWriter, useInitialData, useModel, useTool } from '@flue/runtime';
import * as v from 'valibot';
import { holdOrder } from '../tools/hold-order.ts';

export function OrderDesk() {
  useModel('offline/script');
  const { customerId } = useInitialData<{ customerId: string }>();
  useTool(holdOrder);
  const progress = useDataWriter('progress', { schema: v.object({ done: v.number() }) });
  useTool({
    name: 'note_order',
    description: 'Notes an order.',
    input: v.object({ orderId: v.string() }),
    async run({ data }) {
      progress({ done: 1 });
      return { noted: data.orderId, at: new Date(0) };
    },
  });
  return \`You serve customer \${customerId}.\`;
}
OrderDesk.agentName = 'order-desk';
OrderDesk.initialData = v.object({
  customerId: v.string(),
  tier: v.optional(v.picklist(['free', 'paid'])),
});
`,
  'src/agents/greeter.ts': `'use agent';
import { useModel } from '@flue/runtime';

export default function Greeter() {
  useModel('offline/script');
  return greeting();
}

export function greeting() {
  return 'Greet.';
}
`,
  'src/tools/hold-order.ts': `import { defineTool } from '@flue/runtime';
import * as v from 'valibot';

export const holdOrder = defineTool({
  name: 'hold_order',
  description: 'Holds an order for as long as nobody stops it.',
  input: v.object({ orderId: v.string() }),
  output: v.object({ held: v.boolean() }),
  run: () => new Promise<{ held: boolean }>(() => {}),
});
`,
};
