import { describe, expect, it } from 'vitest';
import { openCompiler } from '../compile.ts';
import { loadProject } from '../config/load-project.ts';
import { temporaryProject } from '../testing/temporary-project.fixture.ts';

type Files = Readonly<Record<string, string>>;

async function graphOf(files: Files) {
  const { project } = await loadProject({ root: temporaryProject(files) });
  const { graph } = (await openCompiler(project)).compile().manifest();
  return graph;
}

/** Each edge on one line: who, how and where from, to whom, about which instance. */
async function edges(files: Files) {
  return (await graphOf(files)).map(({ from, kind, where, to, id, awaited, module, span }) => {
    const sender = 'agent' in from ? from.agent : from.module;
    const target = typeof to === 'string' ? to : `dynamic(${to.reason})`;
    return `${module}:${span.line} ${sender} ${kind}s ${target} in ${where}, id ${id}, awaited ${awaited}`;
  });
}

/** Two agents; `body` is that of the first. */
const agents = (body: string, around = ''): Files => ({
  'src/a.ts': `'use agent';
import { defineSubagent, dispatch, getAgentInstance, init, useAgentStart, useDispatchMessage, useModel, useSubagent, useTool } from '@flue/runtime';
import { Desk } from './desk.ts';
${around}
export function Front(props: { id: string }) { useModel('offline/demo');
${body}
}
`,
  'src/desk.ts': `'use agent';
import { useModel } from '@flue/runtime';
export function Desk() { useModel('offline/demo'); }
`,
});
const tool = (run: string) => `useTool({ name: 'go', description: 'd', async run() { ${run} } });`;

describe('the graph of a manifest', () => {
  it.each([
    [
      'a send out of a tool',
      tool("await dispatch(Desk, { id: '1', message: 'x' });"),
      ['src/a.ts:6 Front dispatchs Desk in tool:go, id static, awaited true'],
    ],
    [
      'a send that nobody waits for',
      tool('void dispatch(Desk, { id: props.id, message: "x" });'),
      ['src/a.ts:6 Front dispatchs Desk in tool:go, id own, awaited false'],
    ],
    [
      'a send to an instance that a run decides',
      tool("return dispatch(Desk, { id: `${props.id}-1`, message: 'x' });"),
      ['src/a.ts:6 Front dispatchs Desk in tool:go, id dynamic, awaited null'],
    ],
    [
      'a handle, and whether somebody waits for what goes through it',
      tool("await init(Desk).dispatch('x');"),
      ['src/a.ts:6 Front inits Desk in tool:go, id none, awaited true'],
    ],
    [
      'a handle that is made in the render',
      `const desk = init(Desk, { id: props.id });\n${tool("void desk.dispatch('x');")}`,
      ['src/a.ts:6 Front inits Desk in render, id own, awaited false'],
    ],
    [
      'a look-up',
      tool("await getAgentInstance(Desk, { id: '1' });"),
      ['src/a.ts:6 Front lookups Desk in tool:go, id static, awaited null'],
    ],
    [
      'a send to itself',
      "const send = useDispatchMessage(); useAgentStart(async () => { await send('x'); });",
      ['src/a.ts:6 Front selfs Front in event:useAgentStart, id own, awaited true'],
    ],
    [
      'an agent that serves as a delegate',
      "useSubagent({ name: 'desk', description: 'd', agent: Desk });",
      ['src/a.ts:6 Front subagents Desk in render, id none, awaited null'],
    ],
    [
      'one of two agents',
      tool("await dispatch(props.id ? Desk : Front, { id: '1', message: 'x' });"),
      [
        'src/a.ts:6 Front dispatchs Desk in tool:go, id static, awaited true',
        'src/a.ts:6 Front dispatchs Front in tool:go, id static, awaited true',
      ],
    ],
    [
      'what a render hands to a timer',
      "setTimeout(() => { void dispatch(Desk, { id: '1', message: 'x' }); });",
      ['src/a.ts:6 Front dispatchs Desk in handler, id static, awaited false'],
    ],
    [
      'a delegate that is no agent, which is described where it is mounted',
      "useSubagent({ name: 's', description: 'd', agent: () => 'x' });",
      [],
    ],
  ])('has %s (MAN-09)', async (_, body, expected) => {
    expect(await edges(agents(body))).toEqual(expected);
  });

  it('follows helpers, also after an await, custom hooks and delegates to whose code they are (MAN-09)', async () => {
    const around = `
async function tell(message: string) { await null; await dispatch(Desk, { id: '1', message }); }
function useTold() { useAgentStart(async () => { await tell('start'); }); }
const helper = defineSubagent({ name: 'h', description: 'd', agent() { ${tool("await tell('delegate');")} } });`;
    expect(await edges(agents('useTold(); useSubagent(helper);', around))).toEqual([
      'src/a.ts:5 Front dispatchs Desk in event:useAgentStart, id static, awaited true',
      'src/a.ts:5 Front dispatchs Desk in tool:go, id static, awaited true',
    ]);
  });

  it('has an edge for each agent that mounts a tool, and says `*` for a name that a run decides (MAN-09)', async () => {
    const files = {
      ...agents('useTool(go(props.id));', "import { go } from './go.ts';"),
      'src/b.ts': `'use agent';
import { useModel, useTool } from '@flue/runtime';
import { go } from './go.ts';
export function Back() { useModel('offline/demo'); useTool(go('back')); }
`,
      'src/go.ts': `import { defineTool, dispatch } from '@flue/runtime';
import { Desk } from './desk.ts';
export const go = (name: string) => defineTool({ name, description: 'd', run: () => dispatch(Desk, { id: '1', message: 'x' }) });
`,
    };
    expect(await edges(files)).toEqual([
      'src/go.ts:3 Back dispatchs Desk in tool:back, id static, awaited null',
      'src/go.ts:3 Front dispatchs Desk in tool:*, id static, awaited null',
    ]);
  });

  it('has what modules do: routers, the generated helper, starts, sends of handlers (MAN-09)', async () => {
    const files = {
      ...agents(''),
      'src/app.ts': `import { dispatch } from '@flue/runtime';
import { createAgentRouter } from '@flue/runtime/routing';
import { start } from '@flue/runtime/node';
import { Hono } from 'hono';
import { mountAgents } from '../.flue/routes.ts';
import { Front } from './a.ts';
import { Desk } from './desk.ts';
const app = new Hono().route('/front', createAgentRouter(Front));
mountAgents(app, { Desk: '/desk' });
app.post('/hook', async (c) => { await dispatch(Desk, { id: '1', message: await c.req.text() }); return c.body(null); });
export const send = (agent: typeof Desk) => dispatch(agent, { id: '1', message: 'x' });
export const served = await start({ agents: [Front, { agent: Desk, name: 'back-desk' }] });
export default app;
`,
    };
    expect(await edges(files)).toEqual([
      'src/app.ts:8 src/app.ts mounts Front in module, id none, awaited null',
      'src/app.ts:9 src/app.ts mounts Desk in module, id none, awaited null',
      'src/app.ts:10 src/app.ts dispatchs Desk in handler, id static, awaited true',
      'src/app.ts:11 src/app.ts dispatchs dynamic(parameter) in handler, id static, awaited null',
      'src/app.ts:12 src/app.ts starts Front in module, id none, awaited null',
      'src/app.ts:12 src/app.ts starts back-desk in module, id none, awaited null',
    ]);
  });

  it('says where the call is written (MAN-09)', async () => {
    const [edge] = await graphOf(agents(tool("await dispatch(Desk, { id: '1', message: 'x' });")));
    expect(edge).toMatchObject({
      module: 'src/a.ts',
      span: { line: 6, column: 61, endLine: 6, endColumn: 102 },
    });
  });
});
