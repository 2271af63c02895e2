import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  types: ['node'],
};

const host = ts.createCompilerHost(OPTIONS);
const readFile = host.getSourceFile;
const parsed = new Map<string, ts.SourceFile | undefined>();

/** Type instantiations that checking `text` costs, as if it stood beside this file. */
function instantiations(text: string): number {
  const path = fileURLToPath(new URL('probe.ts', import.meta.url));
  host.getSourceFile = (name, target, ...rest) => {
    if (name === path) return ts.createSourceFile(name, text, target);
    if (!parsed.has(name)) parsed.set(name, readFile(name, target, ...rest));
    return parsed.get(name);
  };
  host.fileExists = (name) => name === path || ts.sys.fileExists(name);
  const program = ts.createProgram([path], OPTIONS, host);
  const faults = program.getSemanticDiagnostics(program.getSourceFile(path));
  expect(faults.map((fault) => ts.flattenDiagnosticMessageText(fault.messageText, '\n'))).toEqual([]);
  return program.getInstantiationCount();
}

const TOOLS = Array.from({ length: 4 }, (_, index) => index);
const field = 'v.object({ a: v.optional(v.string()), c: v.array(v.object({ d: v.nullable(v.string()) })) })';
const fields = Array.from({ length: 6 }, (_, index) => `f${index}: ${field}`).join(', ');
const schemas = `
  import * as v from 'valibot';
  import { defineTool } from './define-tool.ts';
  import { useTool } from '../hooks/use-tool.ts';
  ${TOOLS.map((n) => `const i${n} = v.object({ ${fields} });`).join('\n')}
`;

describe('tool types', () => {
  it('cost next to nothing on top of what the schemas infer (PC-070)', { timeout: 120_000 }, () => {
    const inferred = TOOLS.map(
      (n) => `const t${n} = (data: v.InferOutput<typeof i${n}>): v.InferInput<typeof i${n}> => data;`,
    );
    const defined = TOOLS.map(
      (n) => `
        const t${n} = defineTool({ name: 't', description: 'd', input: i${n}, output: i${n}, run: ({ data }) => data });
        export const use${n} = () => useTool(t${n});`,
    );
    const base = instantiations(schemas + inferred.join('\n'));
    const perTool = (instantiations(schemas + defined.join('\n')) - base) / TOOLS.length;
    expect(perTool).toBeLessThan(500);
  });
});
