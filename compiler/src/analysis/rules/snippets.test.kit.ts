import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The snippets of the catalogue (RULE-38), by code: `✗` gives one finding of the rule, `✓` none. Words before the snippet
 * say what else it needs: `strict`, `default` (the profile), `mounted` (a router serves `Agent`), `twice` (one finding per site),
 * `info` (that severity). `⏎` is a line break.
 */
export interface Snippet {
  readonly code: string;
  readonly text: string;
  readonly isBad: boolean;
  readonly words: readonly string[];
  readonly files: Readonly<Record<string, string>>;
}

const LINE = /^([✗✓]) ((?:(?:strict|default|mounted|twice|info) )*)(.+)$/;

export function readSnippets(): readonly Snippet[] {
  const path = fileURLToPath(new URL('snippets.txt', import.meta.url));
  return readFileSync(path, 'utf8')
    .split('\n\n')
    .flatMap((section) => {
      const [code = '', ...lines] = section.trim().split('\n');
      return lines.map((line) => readSnippet(code, line));
    });
}

function readSnippet(code: string, line: string): Snippet {
  const parts = LINE.exec(line);
  if (!parts) throw new Error(`no snippet: ${line}`);
  const [, mark, words = '', text = ''] = parts;
  return {
    code,
    text,
    isBad: mark === '✗',
    words: words.split(' ').filter(Boolean),
    files: { ...TOOLS, ...(words.includes('mounted') && MOUNTED), ...filesOf(text.replaceAll('⏎', '\n')) },
  };
}

const TOOLS = {
  'src/tools.ts': `import { defineTool } from '@flue/runtime';
export const t1 = defineTool({ name: 't1', description: 'one', run() {} });
export const t2 = defineTool({ name: 't2', description: 'two', run() {} });
`,
};

const MOUNTED = {
  'src/app.ts': `import { Hono } from 'hono';
import { createAgentRouter } from '@flue/runtime/routing';
import { Agent } from './a.ts';
export default new Hono().route('/a', createAgentRouter(Agent));
`,
};

/** `F[path]«…»` are files; every other form is one module. */
function filesOf(text: string): Record<string, string> {
  const files = [...text.matchAll(/F\[([^\]]+)\]«([\s\S]*?)»/g)];
  if (files.length > 0)
    return Object.fromEntries(files.map(([, path = '', content = '']) => [path, content]));
  const [, form = '', body = ''] = /^([A-Z])\{\s*([\s\S]*?)\s*\}$/.exec(text) ?? [];
  return { 'src/a.ts': withImports(moduleOf(form, body)) };
}

function moduleOf(form: string, body: string): string {
  switch (form) {
    case 'P':
      return body;
    case 'M':
      return `'use agent'; ${body}`;
    case 'A':
      return moduleOf('B', `useModel('anthropic/claude-haiku-4-5'); ${body}`);
    case 'B':
      return moduleOf('M', `export function Agent(props) { ${body} }`);
    case 'T':
      return `export const t = defineTool({ name: 't', description: 'd', ${body} });`;
    case 'D':
      return moduleOf('T', `durable: true, async run({ step }) { ${body} }`);
    default:
      throw new Error(`no form of a snippet: ${form}`);
  }
}

const FLUE =
  /(?<![\w.'])(?:use[A-Z]\w+|define(?:Tool|Skill|Subagent)|GeneralSubagent|connectMcpServer|registerProvider|dispatch|init|getAgentInstance)\b/g;
const PROLOGUE = /^(?:(?:'[^']*'|"[^"]*");\s*)*/;

/** What a snippet needs and neither imports nor declares, after its directive prologue. */
function withImports(text: string): string {
  const isOwn = (name: string) =>
    new RegExp(`\\b(?:const|function|let) ${name}\\b|\\bimport[^;]*\\b${name}\\b[^;]* from`).test(text);
  const uses = (pattern: RegExp) => pattern.test(text);
  const names = [...new Set([...text.matchAll(FLUE)].map(([name]) => name))].filter((name) => !isOwn(name));
  const imports = [
    ...(names.length > 0 ? [`import { ${names.join(', ')} } from '@flue/runtime';`] : []),
    ...(uses(/(?<![\w.])v\.[a-z]/) ? ["import * as v from 'valibot';"] : []),
    ...['t1', 't2']
      .filter((name) => uses(new RegExp(`\\b${name}\\b`)))
      .map((name) => `import { ${name} } from './tools.ts';`),
    ...(uses(/\bflag\(/) ? ["import { flag } from 'flags';"] : []),
    ...(uses(/\bsbx\b/) ? ["import { sbx } from 'sandbox-kit';"] : []),
  ];
  const prologue = PROLOGUE.exec(text)![0];
  return `${prologue}\n${imports.join('\n')}\n${text.slice(prologue.length)}\n`;
}
