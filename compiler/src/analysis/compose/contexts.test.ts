import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { analyse } from '../analyse.ts';
import { memoryHost } from '../memory-host.ts';

const IMPORTS = `import { defineSubagent, defineTool, useAgentFinish, useAgentStart, useDataWriter, useDelivery, useInstruction, useModel, usePersistentState, useResponseFinish, useResponseStart, useSandbox, useSkill, useSubagent, useTool } from '@flue/runtime';
import { start } from '@flue/runtime/node';
import { renderAgent } from '@flue/runtime/testing';
import { Hono } from 'hono';
import { emitter, flag, refunds, run, sandbox } from 'kit';
const t1 = defineTool({ name: 't1', description: 'one', run() {} });
const t2 = defineTool({ name: 't2', description: 'two', run() {} });
const app = new Hono();
`;

/** Codes of errors and warnings in a module with these names at hand. */
function codes(text: string): string[] {
  const directive = text.includes('export function Desk') ? "'use agent';\n" : '';
  const files = { 'src/a.ts': `${directive}${IMPORTS}${text}\n` };
  const { diagnostics, failures } = analyse(Object.keys(files), memoryHost(ts, files));
  expect(failures).toEqual([]);
  return diagnostics
    .filter(({ severity }) => severity === 'error' || severity === 'warning')
    .map(({ code }) => code);
}

const agent = (body: string) =>
  `export function Desk(props: { id: string }) { useModel('openai/gpt-5'); ${body} }`;
const tool = (run: string, more = '') =>
  `defineTool({ name: 't', description: 'd', ${more} async run(context) { ${run} } })`;

describe('what runs outside of every render', () => {
  it.each([
    ['the top level of a module', 'useTool(t1);'],
    ['a static block', 'export class Kit { static { useTool(t1); } }'],
    ['a static field', 'export class Kit { static tool = useTool(t1); }'],
    ['the run of a tool', `export const t = ${tool('useTool(t1);')};`],
    [
      'a step',
      `export const t = ${tool("await context.step.do('a', () => { useTool(t1); return 1; });", 'durable: true,')};`,
    ],
    ...['useAgentStart', 'useAgentFinish', 'useResponseStart', 'useResponseFinish'].map((hook) => [
      `a callback of ${hook}`,
      agent(`${hook}(() => { useTool(t1); });`),
    ]),
    [
      'a method of a sandbox factory',
      agent('useSandbox({ async createSessionEnv() { useTool(t1); return sandbox(); } });'),
    ],
    [
      'the tools of a sandbox factory',
      agent('useSandbox({ createSessionEnv: () => sandbox(), tools: () => { useTool(t1); return []; } });'),
    ],
    ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'process.nextTick'].map((timer) => [
      timer,
      agent(`${timer}(() => { useTool(t1); });`),
    ]),
    ...['then', 'catch', 'finally'].map((method) => [
      `.${method}()`,
      agent(`void Promise.resolve().${method}(() => { useTool(t1); });`),
    ]),
    ...['on', 'once', 'addEventListener'].map((method) => [
      `a listener given to ${method}`,
      agent(`emitter.${method}('x', () => { useTool(t1); });`),
    ]),
    ['a route handler', "app.get('/x', (c) => { useTool(t1); return c.body(null); });"],
  ])('%s: a hook there is an error (RULE-22)', (_, text) => {
    expect(codes(text)).toEqual(['FLUE2001']);
  });

  it('code after an await of any async function is, with a rule of its own (RULE-22)', () => {
    expect(codes('export async function useLate() { await flag(); useTool(t1); }')).toEqual(['FLUE2002']);
  });

  it.each([
    ['a generator', 'export function* useEach() { useTool(t1); yield 1; }'],
    ['a method of an object', 'export const kit = { mount() { useTool(t1); } };'],
    ['a method of a class', 'export class Kit { mount() { useTool(t1); } }'],
    ['a callback of a callee that nobody knows', agent('run(() => { useTool(t1); });')],
    ['a function that nobody calls', 'export const useLater = () => useTool(t1);'],
  ])('%s is not provably outside, so nothing is said (RULE-20, RULE-22)', (_, text) => {
    expect(codes(text)).toEqual([]);
  });
});

describe('what runs inside of a render', () => {
  const WRITE = "const [n, set] = usePersistentState('n', 0); set(n + 1);";

  it.each([
    ['an agent', `export function Desk() { useModel('openai/gpt-5'); ${WRITE} }`],
    [
      'an entry of start()',
      `await start({ agents: [function Desk() { useModel('openai/gpt-5'); ${WRITE} }] });`,
    ],
    [
      'a named entry of start()',
      `await start({ agents: [{ name: 'desk', agent: () => { useModel('openai/gpt-5'); ${WRITE} } }] });`,
    ],
    ['what renderAgent() is given', `await renderAgent(() => { useModel('openai/gpt-5'); ${WRITE} });`],
  ])('%s renders the frame of an agent: hooks are in place, writes are not (RULE-20)', (_, text) => {
    expect(codes(text)).toEqual(['FLUE2301']);
  });

  it('a delegate renders a frame of its own kind (RULE-20)', () => {
    const delegate = (body: string) =>
      `export const s = defineSubagent({ name: 's', description: 'd', agent() { ${body} } });`;
    expect(codes(delegate("useTool(t1); return 'x';"))).toEqual([]);
    expect(codes(delegate("useModel('openai/gpt-5');"))).toEqual(['FLUE2303']);
  });

  it('rules about renders say nothing of code outside of one, nor of code that may be anywhere (RULE-20)', () => {
    expect(codes(agent("const [n, set] = usePersistentState('n', 0); useAgentStart(() => set(1));"))).toEqual(
      [],
    );
    expect(codes(agent("const [n, set] = usePersistentState('n', 0); run(() => set(1));"))).toEqual([]);
    expect(
      codes(agent("const [n, set] = usePersistentState('n', 0); return { go() { set(1); } }.go.name;")),
    ).toEqual([]);
  });
});

describe('what is legal', () => {
  const STATE = "const [on, setOn] = usePersistentState('on', false); useAgentStart(() => setOn(true));";

  it.each([
    'if (on) useTool(t1);',
    'if (on) useSkill(refunds);',
    "if (on) useSubagent({ name: 's', description: 'd', agent: () => 'x' });",
    "if (on) useInstruction('x');",
    'for (const t of [t1, t2]) useTool(t);',
    'for (const t of flag()) useTool(t);',
    'flag().forEach((t) => useTool(t));',
    'on && useTool(t1);',
    'on ? useTool(t1) : useTool(t2);',
    'if (on) { useTool(t1); return; } useTool(t2);',
    'switch (flag()) { case 1: useTool(t1); break; default: useTool(t2); }',
    "if (on) usePersistentState('n', 0);",
    'if (on) useAgentFinish(() => {});',
    'if (on) useResponseStart(() => ({ a: 1 }));',
    'if (on) useSandbox(sandbox());',
    'function mount() { useTool(t1); } mount();',
    '[t1].forEach((t) => { useTool(t); });',
    'useInner(); function useInner() { useDeeper(); } function useDeeper() { useTool(t1); }',
  ])('%s is neither an error nor a warning (RULE-19)', (body) => {
    expect(codes(agent(`${STATE} ${body}`))).toEqual([]);
  });

  it('a model that varies, by its argument or by exclusive calls, is neither (RULE-19)', () => {
    expect(
      codes("export function Desk() { useModel(flag() ? 'openai/gpt-5' : 'openai/gpt-5-mini'); }"),
    ).toEqual([]);
    expect(
      codes(
        "export function Desk() { if (flag()) useModel('openai/gpt-5'); else useModel('openai/gpt-5-mini'); }",
      ),
    ).toEqual([]);
  });

  it('an order that is meant to change is said once, as a warning, where it does (RULE-19)', () => {
    const swap = `${STATE} if (on) { useTool(t1); useTool(t2); } else { useTool(t2); useTool(t1); }`;
    expect(codes(agent(swap))).toEqual(['FLUE2202']);
    expect(
      codes(agent(`${STATE} if (props.id) { useTool(t1); useTool(t2); } else { useTool(t2); useTool(t1); }`)),
    ).toEqual([]);
  });
});
