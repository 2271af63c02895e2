import {
  type AgentSource,
  type Body,
  type CustomHook,
  type HookUse,
  type Leaving,
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
import { flag, list, maybe, pick } from 'flags';
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
function calls(body: Body, hook: CustomHook): boolean {
  return walk(body).some((statement) => statement.kind === 'custom' && statement.hook === hook);
}

/** Whether a test of the body reads the name. */
function asks(body: Body, name: string): boolean {
  const reads = (text: string) => new RegExp(`\\b${name}\\b`).test(text);
  return walk(body).some(
    (statement) =>
      ('test' in statement && reads(statement.test)) ||
      (statement.kind === 'custom' && reads(statement.argument)) ||
      (statement.kind === 'switch' && statement.subject === name),
  );
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

/** Where a statement stands: what `break` and `continue` would leave, and the labels around it, outermost first. */
interface Scope {
  readonly breaks: boolean;
  readonly loop: boolean;
  readonly labels: readonly { readonly name: string; readonly isLoop: boolean }[];
}

const OUTSIDE: Scope = { breaks: false, loop: false, labels: [] };

function functionOf(out: Writer, head: string, first: string, body: Body): void {
  out.line(`${head} {`);
  const asksOff = asks(body, 'off');
  if (asks(body, 'first') || asksOff) out.line(`const first = ${first};`);
  if (asksOff) out.line('const off = !first;');
  if (asks(body, 'second')) out.line(`const second = ${ask(out, 'flag')};`);
  if (asks(body, 'kind')) out.line(`const kind = ${ask(out, 'pick')};`);
  if (asks(body, 'here')) out.line(`const here = ${ask(out, 'flag')};`);
  statements(out, body, OUTSIDE);
  out.line('}');
}

function statements(out: Writer, body: Body, scope: Scope): void {
  for (const statement of body) write(out, statement, scope);
}

function block(out: Writer, head: string, body: Body, scope: Scope, end = ''): void {
  out.line(`${head} {`);
  statements(out, body, scope);
  out.line(`}${end}`);
}

/** The body of something that runs several times, with a test of its own for each. */
function passes(out: Writer, head: string, body: Body, scope: Scope, end = ''): void {
  out.line(`${head} {`);
  if (asks(body, 'here')) out.line(`const here = ${ask(out, 'flag')};`);
  statements(out, body, scope);
  out.line(`}${end}`);
}

function write(out: Writer, s: Statement, scope: Scope): void {
  switch (s.kind) {
    case 'hook':
      out.line(`${hook(out, s.hook)};`);
      break;
    case 'if':
      block(out, `if (${condition(out, s.test)})`, s.yes, scope);
      if (s.no) block(out, 'else', s.no, scope);
      break;
    case 'logical':
      out.line(`(${condition(out, s.test)}) ${s.operator} ${hook(out, s.hook)};`);
      break;
    case 'nullish':
      out.line(`${ask(out, 'maybe')} ?? ${hook(out, s.hook)};`);
      break;
    case 'either':
      out.line(`if ((${condition(out, s.test)}`);
      out.line(`&& (${hook(out, s.one)}, true))`);
      block(out, `|| (${hook(out, s.other)}, false))`, s.body, scope);
      break;
    case 'ternary':
      out.line(condition(out, s.test));
      out.line(`? ${hook(out, s.yes)}`);
      out.line(`: ${hook(out, s.no)};`);
      break;
    case 'switch':
      out.line(`switch (${s.subject === 'kind' ? 'kind' : ask(out, 'pick')}) {`);
      for (const { on, body, breaks } of s.cases) {
        out.line(on === 'default' ? 'default: {' : `case '${on}': {`);
        statements(out, body, { ...scope, breaks: true });
        out.line('}');
        if (breaks) out.line('break;');
      }
      out.line('}');
      break;
    case 'for-literal': {
      const items = Array.from({ length: s.items }, (_, index) => index + 1);
      const { head, inside } = loop(s, scope);
      passes(out, `${head}for (const item of [${items.join(', ')}])`, s.body, inside);
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
    case 'for-list': {
      const { head, inside } = loop(s, scope);
      passes(out, `${head}for (const item of ${ask(out, 'list')})`, s.body, inside);
      break;
    }
    case 'while': {
      const { head, inside } = loop(s, scope);
      passes(out, `${head}while (${again(out, 2)})`, s.body, inside);
      break;
    }
    case 'do-while': {
      const { head, inside } = loop(s, scope);
      passes(out, `${head}do`, s.body, inside);
      out.line(`while (${again(out)});`);
      break;
    }
    case 'endless': {
      const { head, inside } = loop(s, scope);
      out.line(`${head}for (;;) {`);
      out.line(`if (!${again(out, 2)}) break;`);
      passes(out, '', s.body, inside);
      out.line('}');
      break;
    }
    case 'each': {
      const items = Array.from({ length: s.items === 'list' ? 0 : s.items }, (_, index) => index + 1);
      const over = s.items === 'list' ? ask(out, 'list') : `[${items.join(', ')}]`;
      passes(out, `${over}.forEach((item) =>`, s.body, OUTSIDE, ');');
      break;
    }
    case 'at-once':
      block(out, '(() =>', s.body, OUTSIDE, ')();');
      break;
    case 'labelled': {
      const name = `at${scope.labels.length}`;
      block(out, `${name}:`, s.body, { ...scope, labels: [...scope.labels, { name, isLoop: false }] });
      break;
    }
    case 'leave':
      out.line(`if (${condition(out, s.test)}) ${leave(s.by, scope)}`);
      break;
    case 'leave-always':
      out.line(leave(s.by, scope));
      break;
    case 'try':
      guarded(out, 'try', s.body, scope);
      if (s.handler) (s.finalizer ? guarded : block)(out, 'catch', s.handler, scope);
      if (s.finalizer) block(out, 'finally', s.finalizer, scope);
      break;
    case 'custom': {
      const text = `${s.hook}(${condition(out, s.argument)})`;
      out.line(out.isWatched ? `$.enter(${JSON.stringify(out.here())}, () => ${text});` : `${text};`);
    }
  }
}

/** A loop and what stands in it. */
function loop({ label }: { readonly label: boolean }, scope: Scope): { head: string; inside: Scope } {
  const inside = { ...scope, breaks: true, loop: true };
  if (!label) return { head: '', inside };
  const name = `at${scope.labels.length}`;
  return { head: `${name}: `, inside: { ...inside, labels: [...scope.labels, { name, isLoop: true }] } };
}

/** A block in which any call may throw, with somebody to take the error (RULE-23): the watched text tells `$` so. */
function guarded(out: Writer, head: string, body: Body, scope: Scope): void {
  if (out.isWatched) block(out, `${head} { $.enterTry(); try`, body, scope, ' finally { $.leaveTry(); } }');
  else block(out, head, body, scope);
}

function leave(by: Leaving, { breaks, loop, labels }: Scope): string {
  const outerLoop = labels.find(({ isLoop }) => isLoop);
  switch (by) {
    case 'throw':
      return "throw new Error('stop');";
    case 'break':
      return breaks ? 'break;' : 'return;';
    case 'continue':
      return loop ? 'continue;' : 'return;';
    case 'break inner':
      return labels.length > 0 ? `break ${labels.at(-1)?.name};` : 'return;';
    case 'break outer':
      return labels.length > 0 ? `break ${labels[0]?.name};` : 'return;';
    case 'continue outer':
      return outerLoop ? `continue ${outerLoop.name};` : 'return;';
    case 'return':
      return 'return;';
  }
}

function condition(out: Writer, test: Test | 'true' | 'false'): string {
  return test.replaceAll('fresh', () => ask(out, 'flag'));
}

/** A value from outside. Also what decides a generated path is opaque to the compiler, and enumerated by the test. */
function ask(out: Writer, source: 'flag' | 'list' | 'maybe' | 'pick'): string {
  return out.isWatched ? `$.${source}()` : `${source}()`;
}

/** Whether a loop goes on, asked so many times at most before and after its two passes. */
function again(out: Writer, times = 1): string {
  return out.isWatched ? `$.again(${JSON.stringify(out.here())}, ${times})` : 'flag()';
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
