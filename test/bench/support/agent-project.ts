import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url));

/** Writes a project of small agent modules, each with a tool of its own and one that all share. */
export function writeAgentProject(folder: string, modules: number): void {
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  put('package.json', JSON.stringify({ name: 'generated', private: true, type: 'module' }));
  put('tsconfig.json', JSON.stringify({ compilerOptions: TSCONFIG, include: ['src'] }));
  put('src/shared/audit.ts', AUDIT);
  for (let index = 0; index < modules; index++) put(`src/agents/agent-${index}.ts`, agentModule(index));
  symlinkSync(MODULES, join(folder, 'node_modules'));
}

const TSCONFIG = { strict: true, module: 'nodenext', target: 'es2022', noEmit: true, skipLibCheck: true };

const AUDIT = `import { defineTool } from '@flue/runtime';
import * as v from 'valibot';

export const audit = defineTool({
  name: 'audit',
  description: 'Writes a line to the audit log.',
  input: v.object({ line: v.string() }),
  run: ({ data }) => ({ written: data.line.length }),
});
`;

function agentModule(index: number): string {
  return `'use agent';
import { defineTool, useDelivery, useInstruction, useModel, usePersistentState, useTool } from '@flue/runtime';
import * as v from 'valibot';
import { audit } from '../shared/audit.js';

const lookup${index} = defineTool({
  name: 'lookup_${index}',
  description: 'Looks a record of kind ${index} up.',
  input: v.object({ id: v.string(), limit: v.optional(v.number()) }),
  async run({ data }) {
    return { id: data.id, kind: ${index}, limit: data.limit ?? 10 };
  },
});

export function Agent${index}() {
  useModel('anthropic/claude-haiku-4-5');
  const [seen, setSeen] = usePersistentState('seen', 0);
  useTool(audit);
  useTool(lookup${index});
  useTool({
    name: 'note',
    description: 'Notes that something was seen.',
    run: () => {
      setSeen((before) => before + 1);
      return { noted: true };
    },
  });
  const delivery = useDelivery();
  if (delivery.kind === 'signal') useInstruction('Answer the signal briefly.');
  useInstruction(\`You have seen \${seen} records.\`);
  return 'You answer questions about records of kind ${index}.';
}
`;
}
