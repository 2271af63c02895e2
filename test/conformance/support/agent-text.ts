import {
  type AgentSource,
  type Body,
  type HookUse,
  type Statement,
  type Test,
  walk,
} from './agent-grammar.ts';

/** The modules of a generated agent, as an author would write them, and the same with every call watched. */
export interface AgentText {
  readonly plain: Readonly<Record<string, string>>;
  /** calls go through `$`, which knows the place of each: `path:line` of the plain text */
  readonly watched: Readonly<Record<string, string>>;
}

export const AGENT = 'src/agent.ts';
export const KIT = 'src/kit.ts';
const TOOLS = 'src/tools.ts';

const TOOLS_TEXT = `import { defineTool } from '@flue/runtime';
export const t1 = defineTool({ name: 't1', description: 'one', run() {} });
export const t2 = defineTool({ name: 't2', description: 'two', run() {} });
`;
const IMPORTS = `import { useInstruction, useModel, usePersistentState, useTool } from '@flue/runtime';
import { flag, list, pick } from 'flags';
import { t1, t2 } from './tools.ts';`;

export function textOf(source: AgentSource): AgentText {
  return { plain: modulesOf(source, false), watched: modulesOf(source, true) };
}

function modulesOf(source: AgentSource, isWatched: boolean): Record<string, string> {
  const agent = writer(AGENT, isWatched);
  agent.lines(`'use agent';\n${IMPORTS}\nimport { useThere } from './kit.ts';`);
  const calledHere = calls(source.agent, 'useHere');
  const calledThere = calls(source.agent, 'useThere') || (calledHere && calls(source.here, 'useThere'));
  functionOf(agent, 'function useHere(on)', 'on', calledHere ? source.here : []);
  functionOf(agent, 'export function Agent()', ask(agent, 'flag'), source.agent);
  const kit = writer(KIT, isWatched);
  kit.lines(IMPORTS);
  functionOf(kit, 'export function useThere(on)', 'on', calledThere ? source.there : []);
  return { [AGENT]: agent.text(), [KIT]: kit.text(), [TOOLS]: TOOLS_TEXT };
}

/** Custom hooks that nobody calls stay empty: what they would break is no fault of the agent. */
function calls(body: Body, hook: 'useHere' | 'useThere'): boolean {
  return walk(body).some((statement) => statement.kind === 'custom' && statement.hook === hook);
}

function asks(body: Body, name: 'first' | 'second'): boolean {
  const tests: readonly Test[] = [name, `not ${name}`];
  return walk(body).some((statement) => 'test' in statement && tests.includes(statement.test));
}

interface Writer {
  readonly isWatched: boolean;
  line(text: string): void;
  lines(text: string): void;
  /** place of the line that is written next */
  here(): string;
  text(): string;
}

function writer(path: string, isWatched: boolean): Writer {
  const written: string[] = [];
  return {
    isWatched,
    line: (text) => void written.push(text),
    lines: (text) => void written.push(...text.split('\n')),
    here: () => `${path}:${written.length + 1}`,
    text: () => `${written.join('\n')}\n`,
  };
}

/** Where a statement stands. */
interface Scope {
  readonly loop: boolean;
  /** in a `try` body, where any call may throw (RULE-23) */
  readonly guarded: boolean;
}

function functionOf(out: Writer, head: string, first: string, body: Body): void {
  out.line(`${head} {`);
  if (asks(body, 'first')) out.line(`const first = ${first};`);
  if (asks(body, 'second')) out.line(`const second = ${ask(out, 'flag')};`);
  statements(out, body, { loop: false, guarded: false });
  out.line('}');
}

function statements(out: Writer, body: Body, scope: Scope): void {
  for (const statement of body) write(out, statement, scope);
}

function block(out: Writer, head: string, body: Body, scope: Scope): void {
  out.line(`${head} {`);
  statements(out, body, scope);
  out.line('}');
}

function write(out: Writer, s: Statement, scope: Scope): void {
  const inLoop = { ...scope, loop: true };
  switch (s.kind) {
    case 'hook':
      out.line(`${hook(out, s.hook)};`);
      break;
    case 'if':
      block(out, `if (${condition(out, s.test, scope)})`, s.yes, scope);
      if (s.no) block(out, 'else', s.no, scope);
      break;
    case 'logical':
      out.line(`${condition(out, s.test, scope)} ${s.operator} ${hook(out, s.hook)};`);
      break;
    case 'ternary':
      out.line(condition(out, s.test, scope));
      out.line(`? ${hook(out, s.yes)}`);
      out.line(`: ${hook(out, s.no)};`);
      break;
    case 'switch':
      out.line(`switch (${ask(out, 'pick', scope)}) {`);
      s.cases.forEach(({ body, breaks }, index) => {
        out.line(index === 2 ? 'default: {' : `case '${'ab'[index]}': {`);
        statements(out, body, { ...scope, loop: false });
        out.line('}');
        if (breaks) out.line('break;');
      });
      out.line('}');
      break;
    case 'for-literal': {
      const items = Array.from({ length: s.items }, (_, index) => index + 1);
      block(out, `for (const item of [${items.join(', ')}])`, s.body, inLoop);
      break;
    }
    case 'for-tools':
      out.line(`for (const tool of [${s.tools.join(', ')}])`);
      out.line(`${call(out, 'useTool', 'tool')};`);
      break;
    case 'for-names':
      out.line(`for (const name of [${s.names.map((name) => `'${name}'`).join(', ')}])`);
      out.line(`${call(out, 'usePersistentState', 'name, 0')};`);
      break;
    case 'for-list':
      block(out, `for (const item of ${ask(out, 'list', scope)})`, s.body, inLoop);
      break;
    case 'do-while':
      block(out, 'do', s.body, inLoop);
      out.line(`while (${out.isWatched ? again(out, scope) : 'flag()'});`);
      break;
    case 'leave':
      out.line(`if (${condition(out, s.test, scope)}) ${leave(s.by, scope)}`);
      break;
    case 'try':
      out.line('try {');
      statements(out, s.body, { ...scope, guarded: true });
      out.line('}');
      block(out, s.closes, s.handler, scope);
      break;
    case 'custom': {
      const text = `${s.hook}(${ask(out, 'flag', scope)})`;
      out.line(out.isWatched ? `$.enter(${JSON.stringify(out.here())}, () => ${text});` : `${text};`);
    }
  }
}

function leave(by: 'return' | 'throw' | 'break' | 'continue', { loop }: Scope): string {
  if (by === 'throw') return "throw new Error('stop');";
  return by === 'return' || !loop ? 'return;' : `${by};`;
}

function condition(out: Writer, test: Test, scope: Scope): string {
  const fresh = () => ask(out, 'flag', scope);
  if (test === 'fresh') return fresh();
  if (test === 'two fresh') return `${fresh()} && ${fresh()}`;
  if (test === 'one of two fresh') return `(${fresh()} || ${fresh()})`;
  return test.startsWith('not') ? `!${test.slice(4)}` : test;
}

/** A value from outside. Also what decides a generated path is opaque to the compiler, and enumerated by the test. */
function ask(out: Writer, source: 'flag' | 'list' | 'pick', scope?: Scope): string {
  return out.isWatched ? `$.${source}(${scope?.guarded ?? false})` : `${source}()`;
}

/** The condition that ends a loop. */
function again(out: Writer, { guarded }: Scope): string {
  return `$.again(${guarded}, ${JSON.stringify(out.here())})`;
}

function hook(out: Writer, use: HookUse): string {
  switch (use.hook) {
    case 'useModel':
      return call(out, 'useModel', "'openai/gpt-5'");
    case 'useInstruction':
      return call(out, 'useInstruction', "'x'");
    case 'useTool':
      return call(
        out,
        'useTool',
        use.isInline ? `{ name: '${use.tool}', description: 'd', run() {} }` : use.tool,
      );
    case 'usePersistentState':
      return call(out, 'usePersistentState', `'${use.name}', 0`);
  }
}

function call(out: Writer, name: string, args: string): string {
  return out.isWatched ? `$.hook(${JSON.stringify(out.here())}, () => ${name}(${args}))` : `${name}(${args})`;
}
