import { it } from 'vitest';
import { startTsServer } from '../support/tsserver.ts';
import { buildPlugin } from './built-plugin.ts';
import { editorProject } from './editor-project.ts';

it('tries', async () => {
  const plugin = await buildPlugin();
  const server = startTsServer({ plugins: plugin.folder, logFile: '/tmp/tss.log' });
  const p = editorProject(server, {
    'src/agent.ts': `'use agent';\nexport async function Orders() { return 'x'; }\nconst x: number = '';\n`,
    'src/plain.ts': `export const a = 1;\n`,
  });
  p.open('src/agent.ts', 'src/plain.ts');
  console.time('first');
  console.log(JSON.stringify(await p.diagnostics('src/agent.ts'), null, 1));
  console.timeEnd('first');
  console.log(await p.diagnostics('src/plain.ts'));
  p.edit(
    'src/agent.ts',
    `'use agent';\nimport { useModel } from '@flue/runtime';\nexport function Orders() { useModel('a/b'); return 'x'; }\n`,
  );
  console.log(await p.diagnostics('src/agent.ts'));
  console.log(JSON.stringify(await server.geterr([p.path('src/agent.ts')])));
  await server.close();
  p.remove();
  plugin.remove();
}, 60000);
