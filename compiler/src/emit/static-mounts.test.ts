import { describe, expect, it } from 'vitest';
import { openCompiler } from '../compile.ts';
import { loadProject } from '../config/load-project.ts';
import { AGENT } from '../testing/sources.fixture.ts';
import { temporaryProject } from '../testing/temporary-project.fixture.ts';

const IMPORTS = `import { createAgentRouter } from '@flue/runtime/routing';
import { Hono } from 'hono';
import { Orders } from './orders.ts';
import { Renamed as Desk } from './barrel.ts';
import { mountAgents } from '../.flue/routes.ts';
`;

/** The mounts of an entry, as `accessor path authorized`. */
async function mountsOf(body: string): Promise<string[]> {
  const root = temporaryProject({
    'src/app.ts': IMPORTS + body,
    'src/orders.ts': AGENT,
    'src/desk.ts': AGENT.replace('Orders', 'Desk'),
    'src/barrel.ts': "export { Desk as Renamed } from './desk.ts';\n",
  });
  const { project } = await loadProject({ root });
  const { agents } = (await openCompiler(project)).compile().manifest();
  return agents.flatMap(({ accessor, mounts }) =>
    mounts.map(({ path, authorized }) => `${accessor} ${path} ${authorized}`),
  );
}

describe('static mounts', () => {
  it.each([
    [
      'a statement',
      "const app = new Hono();\napp.route('/o', createAgentRouter(Orders));\nexport default app;",
      ['Orders /o null'],
    ],
    [
      'through a barrel',
      "const app = new Hono();\napp.route('/d', createAgentRouter(Desk));\nexport default app;",
      ['Desk /d null'],
    ],
    [
      'a chain',
      "const app = new Hono().get('/x', () => {}).route('/o', createAgentRouter(Orders));\nexport default app;",
      ['Orders /o null'],
    ],
    [
      'an exported chain',
      "export default new Hono().route('/o', createAgentRouter(Orders)).route('/d', createAgentRouter(Desk));",
      ['Desk /d null', 'Orders /o null'],
    ],
    [
      'mountAgents',
      "const app = mountAgents(new Hono(), { Orders: '/o', Desk: { path: '/d', authorize: () => true } });\nexport default app;",
      ['Desk /d true', 'Orders /o null'],
    ],
    [
      'mountAgents as a statement',
      "const app = new Hono();\nmountAgents(app, { Orders: { path: '/o', public: true } });\nexport default app;",
      ['Orders /o false'],
    ],
  ])('are found in %s (TRTE-05, MAN-02)', async (_, body, expected) => {
    expect(await mountsOf(body)).toEqual(expected);
  });

  it.each([
    [
      'a path made at run time',
      'const app = new Hono();\napp.route(process.env.P!, createAgentRouter(Orders));\nexport default app;',
    ],
    [
      'a path with a parameter',
      "const app = new Hono();\napp.route('/:t/o', createAgentRouter(Orders));\nexport default app;",
    ],
    [
      'another application',
      "const app = new Hono();\nconst api = new Hono();\napi.route('/o', createAgentRouter(Orders));\napp.route('/api', api);\nexport default app;",
    ],
    [
      'an argument',
      "const app = new Hono();\napp.route('/api', new Hono().route('/o', createAgentRouter(Orders)));\nexport default app;",
    ],
    [
      'a base path',
      "const app = new Hono().basePath('/v1');\napp.route('/o', createAgentRouter(Orders));\nexport default app;",
    ],
    [
      'a base path in between',
      "const app = new Hono();\napp.basePath('/v1').route('/o', createAgentRouter(Orders));\nexport default app;",
    ],
    [
      'a branch',
      "const app = new Hono();\nif (process.env.P) app.route('/o', createAgentRouter(Orders));\nexport default app;",
    ],
    [
      'an operand',
      "const app = new Hono();\nprocess.env.P && app.route('/o', createAgentRouter(Orders));\nexport default app;",
    ],
    [
      'an application made elsewhere',
      "const app = make();\napp.route('/o', createAgentRouter(Orders));\nexport default app;",
    ],
    [
      'a function',
      "const app = new Hono();\nexport const later = () => app.route('/o', createAgentRouter(Orders));\nexport default app;",
    ],
  ])('leave out what is not certain: %s (TRTE-05)', async (_, body) => {
    expect(await mountsOf(body)).toEqual([]);
  });
});
