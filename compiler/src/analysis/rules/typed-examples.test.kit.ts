import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { type Analysis, analyse } from '../analyse.ts';
import type { AnalysisHost } from '../host.ts';
import { memoryHost } from '../memory-host.ts';
import type { Rule } from './define-rule.ts';
import { readExamples } from './examples.test.kit.ts';

/** A project that does not exist, in a place from which the real `valibot` is found. */
const ROOT = join(dirname(fileURLToPath(import.meta.url)), 'typed-example');

/** As much of the runtime's types as decides what an example's own values are. */
const RUNTIME = `import type * as v from 'valibot';
type Update<T> = T | ((before: T) => T);
export declare function useModel(specifier: string): void;
export declare function usePersistentState<T>(name: string, value: T): [T, (next: Update<T>) => void];
export declare function useDataWriter(name: string): (value: unknown) => void;
export declare function useAgentStart(run: (context: any) => void | Promise<void>): void;
interface Step { do<T>(name: string, run: () => T): Promise<Awaited<T>> }
export declare function defineTool<T extends { run(context: { data: any; step: Step }): unknown; [key: string]: unknown }>(tool: T): T;
export declare function dispatch(agent: unknown, request: { id: string; [key: string]: unknown }): Promise<void>;
export declare function init(agent: unknown, options: { id: string; [key: string]: unknown }): { dispatch(request: unknown): Promise<void> };
`;

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
  types: [],
  strict: true,
  noImplicitAny: false,
  noEmit: true,
  skipLibCheck: true,
  paths: { '@flue/runtime': [join(ROOT, 'runtime.d.ts')] },
};

/** Parsed once for all examples: libraries do not change between them. */
const libraries = new Map<string, ts.SourceFile | undefined>();

/** A host with a real checker over the given files. */
function typedHost(files: Readonly<Record<string, string>>): AnalysisHost {
  const texts = new Map(Object.entries(files).map(([path, text]) => [join(ROOT, path), text]));
  texts.set(join(ROOT, 'runtime.d.ts'), RUNTIME);
  const disk = ts.createCompilerHost(OPTIONS);
  const program = ts.createProgram([...texts.keys()], OPTIONS, {
    ...disk,
    fileExists: (path) => texts.has(path) || disk.fileExists(path),
    readFile: (path) => texts.get(path) ?? disk.readFile(path),
    getSourceFile(path, language) {
      const text = texts.get(path);
      if (text !== undefined) return ts.createSourceFile(path, text, language, true);
      if (!libraries.has(path)) libraries.set(path, disk.getSourceFile(path, language));
      return libraries.get(path);
    },
  });
  return memoryHost(ts, files, {
    sourceFile: (path) => program.getSourceFile(join(ROOT, path)),
    checker: () => program.getTypeChecker(),
  });
}

export function analyseTyped(files: Readonly<Record<string, string>>): Analysis {
  return analyse(Object.keys(files), typedHost(files));
}

/** Run every example of a rule's folder with types, and show that the rule says nothing without them. */
export function runTypedExamples(rule: Rule, testUrl: string): void {
  const folder = join(dirname(fileURLToPath(testUrl)), 'examples');
  describe(`${rule.code} ${rule.name}`, () => {
    for (const example of readExamples(folder)) {
      it(`${example.name} ${example.name.startsWith('bad') ? 'is found' : 'is accepted'}`, () => {
        const analysis = analyse(Object.keys(example.files), typedHost(example.files));
        expect(analysis.failures).toEqual([]);
        const found = analysis.diagnostics.filter(({ code }) => code === rule.code);
        const lines = found.map(
          ({ span, code, severity }) => `${span.path}:${span.line} ${code} ${severity}`,
        );
        expect(lines.sort()).toEqual(example.expected);
        if (example.name.startsWith('bad')) expect(found.length).toBeGreaterThan(0);
        const untyped = analyse(Object.keys(example.files), memoryHost(ts, example.files));
        expect(untyped.diagnostics.filter(({ code }) => code === rule.code)).toEqual([]);
      });
    }
  });
}
