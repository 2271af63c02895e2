import { spawnSync } from 'node:child_process';
import { afterEach, expect, it } from 'vitest';
import { createProject, type Project } from '../support/project.ts';
import { readStream } from '../support/stream.ts';
import { deskProject } from './support/desk-project.ts';

let project: Project;
afterEach(() => project.remove());

it('without a build nothing is appended, and an agent goes by its agentName, else by the name of its function (BIND-12, LOAD-01)', async () => {
  project = createProject({
    ...deskProject,
    'src/main.ts': `import { init } from '@flue/runtime';
import { sqlite, start } from '@flue/runtime/node';
import { OrderDesk } from './agents/desk.ts';
import Greeter from './agents/local.ts';

const flue = await start({ agents: [OrderDesk, Greeter], db: sqlite(process.env.FLUE_DB) });
for (const agent of [OrderDesk, Greeter]) await init(agent, { id: '1' }).dispatch('Hello');
await flue.stop();
`,
  });
  const database = project.path('data.db');
  const { stderr, status } = spawnSync(
    process.execPath,
    ['--conditions=flue-source', '--import', 'tsx', project.path('src/main.ts')],
    { encoding: 'utf8', env: { PATH: process.env.PATH, FLUE_DB: database } },
  );
  expect([status, stderr]).toEqual([0, '']);
  expect(await readStream(database, 'agents/OrderDesk/1')).not.toHaveLength(0);
  expect(await readStream(database, 'agents/front-door/1')).not.toHaveLength(0);
}, 60_000);
