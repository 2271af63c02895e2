import { createRequire } from 'node:module';
import type ts from 'typescript';
import type { TypeScript } from '../analysis/host.ts';

type Morph = typeof import('ts-morph');

const require = createRequire(import.meta.url);
let loaded: TypeScript | undefined;

/**
 * The TypeScript that ts-morph bundles (RULE-02), without ts-morph itself and the library texts that come with it.
 * Loaded when somebody asks: a check of what is known parses nothing.
 */
export function loadTypeScript(): TypeScript {
  // Not `import()`: Node would scan ten megabytes of CommonJS for names before running it.
  // ts-morph publishes its TypeScript under its own declarations, which describe the same API.
  loaded ??= createRequire(require.resolve('ts-morph'))('@ts-morph/common/dist/typescript.js') as TypeScript;
  return loaded;
}

/** Programs for the type checker; everything else works on single files. */
export function loadMorph(): Morph {
  return require('ts-morph') as Morph;
}

/** The tree of one file, with parents. */
export function parseFile(api: TypeScript, path: string, text: string): ts.SourceFile {
  return api.createSourceFile(path, text, { languageVersion: api.ScriptTarget.Latest }, true);
}
