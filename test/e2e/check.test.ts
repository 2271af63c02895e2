import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createProject } from '../support/project.ts';

const workspace = fileURLToPath(new URL('../..', import.meta.url));
const bin = join(workspace, 'compiler/bin/flue.js');

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command as a user runs it: built, through its launcher. */
function flue(...args: string[]): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [bin, ...args],
      { cwd: workspace, env: { PATH: process.env.PATH } },
      (error, stdout, stderr) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}

/** One fault each; the name of the file is the rule that finds it. */
const model = "useModel('openai/gpt-5');";
const runtime =
  "import { defineTool, dispatch, useModel, usePersistentState, useTool } from '@flue/runtime';\nimport * as v from 'valibot';\n";
const agent = (name: string, body: string) =>
  `'use agent';\n${runtime}export function ${name}() { ${model} ${body} }\n`;
const tool = (fields: string) => `${runtime}export const tool = defineTool({ ${fields} });\n`;
const FAULTS: Readonly<Record<string, string>> = {
  FLUE1001: `${runtime}'use agent';\nexport function A1001() { ${model} }\n`,
  FLUE1002: `'use agents';\n${runtime}export function A1002() { ${model} }\n`,
  FLUE1003: `('use agent');\n${runtime}export function A1003() { ${model} }\n`,
  FLUE1005: `'use agent';\n${runtime}export const limit = useModel;\n`,
  FLUE1006: `'use agent';\n${runtime}export async function A1006() { ${model} }\n`,
  FLUE1007: `'use agent';\n${runtime}export default function () { ${model} }\n`,
  FLUE1009: `'use agent';\n${runtime}export function A1009() { ${model} }\nexport { A1009 as B1009 };\n`,
  FLUE1101: `'use agent';\n${runtime}export function A_1101() { ${model} }\n`,
  FLUE1102: `'use agent';\n${runtime}export function A1102() { ${model} }\nA1102.agentName = 'same';\nexport function B1102() { ${model} }\nB1102.agentName = 'same';\n`,
  FLUE1104: `'use agent';\n${runtime}const id = 'a-1104';\nexport function A1104() { ${model} }\nA1104.agentName = id;\n`,
  FLUE1109: `'use agent';\n${runtime}export function A1109() { ${model} }\nA1109.durability = { maxAttempt: 3 };\n`,
  FLUE2001: `${runtime}useModel('openai/gpt-5');\n`,
  FLUE2003: `${runtime}function useBase() { ${model} }\nsetTimeout(() => useBase(), 1);\n`,
  FLUE2101: `'use agent';\n${runtime}export function A2101() { return 'x'; }\n`,
  FLUE2102: agent('A2102', model),
  FLUE2104: agent('A2104', "usePersistentState('a', 1); usePersistentState('a', 2);"),
  FLUE2301: agent('A2301', "const [, set] = usePersistentState('a', 1); set(2);"),
  FLUE2403: `'use agent';\n${runtime}export function A2403() { useModel('gpt-5'); }\n`,
  FLUE3001: tool("name: 't', description: '', run: () => 1"),
  FLUE3002: tool("name: 't', description: 'd', execute: () => 1"),
  FLUE3003: tool("name: 'look up', description: 'd', run: () => 1"),
  FLUE3004: tool("name: 'task', description: 'd', run: () => 1"),
  FLUE3006: tool("name: 't', description: 'd', input: v.string(), run: () => 1"),
  FLUE4002: `${runtime}import { A2102 } from './FLUE2102.ts';\nvoid dispatch(A2102, { message: 'x' });\n`,
  FLUE5001: `'use agent';\nexport function A5001() {\n`,
};

describe('flue check, as a command', { timeout: 60_000 }, () => {
  it('passes the modules of the seed documents (CHK-02)', async () => {
    const { code, stdout, stderr } = await flue('check', '--cwd', 'examples/seeds');
    expect(`${stdout}${stderr}`).toContain('No problems: 5 agents');
    expect(code).toBe(0);
  });

  it('finds one fault of each rule at its file, line and column, and exits 1 (CHK-02, CHK-05, RULE-06)', async () => {
    const files = Object.fromEntries(Object.entries(FAULTS).map(([rule, text]) => [`src/${rule}.ts`, text]));
    const project = createProject(files);
    try {
      const { code, stdout, stderr } = await flue('check', '--cwd', project.root, '--format', 'json');
      expect(stderr).toBe('');
      expect(code).toBe(1);
      const { diagnostics } = JSON.parse(stdout) as {
        diagnostics: {
          rule: string;
          file: string;
          message: string;
          range: { start: { line: number; column: number } };
        }[];
      };
      for (const rule of Object.keys(FAULTS)) {
        const found = diagnostics.find(
          (diagnostic) => diagnostic.rule === rule && diagnostic.file === `src/${rule}.ts`,
        );
        expect(found, rule).toBeDefined();
        expect(found!.range.start.line, rule).toBeGreaterThan(0);
        expect(found!.range.start.column, rule).toBeGreaterThan(0);
        expect(found!.message.length, rule).toBeGreaterThan(10);
      }
    } finally {
      project.remove();
    }
  });

  it('answers a mistake in its use with one line and exit code 2 (CLI-04, CLI-05)', async () => {
    const unknown = await flue('check', '--formt', 'json');
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('--format');
    expect(unknown.stderr).not.toMatch(/^\s+at /m);
  });
});

describe('flue generate, as a command', { timeout: 60_000 }, () => {
  it('writes the same bytes again, and the manifest lists agents and tools with their schemas (DET-01, EMIT-02, GEN-01)', async () => {
    expect((await flue('generate', '--cwd', 'examples/seeds')).code).toBe(0);
    const read = () =>
      ['manifest.json', 'agents.ts'].map((file) =>
        readFileSync(join(workspace, 'examples/seeds/.flue', file), 'utf8'),
      );
    const first = read();
    expect((await flue('generate', '--cwd', 'examples/seeds')).code).toBe(0);
    expect(read()).toEqual(first);
    const manifest = JSON.parse(first[0]!) as {
      agents: { identity: string; tools: { name: string; input: { schema?: object } | null }[] }[];
    };
    const tools = manifest.agents.flatMap((one) =>
      one.tools.map((tool) => [one.identity, tool.name, tool.input?.schema]),
    );
    expect(tools).toEqual(
      expect.arrayContaining([
        [
          'OrderAssistant',
          'lookup_order',
          expect.objectContaining({ type: 'object', required: ['orderId'] }),
        ],
        ['CustomerOrders', 'lookup_customer_order', expect.objectContaining({ type: 'object' })],
        ['ReleaseManager', 'record_approval', expect.objectContaining({ type: 'object' })],
      ]),
    );
  });
});
