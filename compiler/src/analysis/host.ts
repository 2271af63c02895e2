import type ts from 'typescript';

/** The TypeScript that the host runs; never imported by the analysis itself (RULE-02). */
export type TypeScript = typeof ts;

/**
 * Where a specifier leads. `project` is a checked file by its project path; `flue` a published entry of
 * `@flue/runtime` (`.` or `node`, `routing`, `tool`, `testing`, ...) and, as `realPath`, the project path of the copy that
 * provides it; `valibot` the validator; `package` any other package, built-in or URL-like module, `dependsOnFlue` when
 * its manifest lists `@flue/runtime` (RULE-13); `asset` a file that is no module (`.md`, `?raw`, json); `unresolved` what
 * nobody resolves (RULE-10).
 */
export type Resolution =
  | { readonly kind: 'project'; readonly path: string }
  | { readonly kind: 'flue'; readonly entry: string; readonly realPath?: string }
  | { readonly kind: 'valibot' }
  | { readonly kind: 'package'; readonly name: string; readonly dependsOnFlue?: boolean }
  | { readonly kind: 'asset'; readonly path?: string }
  | { readonly kind: 'unresolved' };

/** What a literal model specifier resolves to, or why it does not (SPEC-12). */
export type ModelInfo =
  | {
      readonly ok: true;
      readonly provider: string;
      readonly id: string;
      readonly source: 'catalog' | 'registration' | 'offline';
    }
  | {
      readonly ok: false;
      readonly problem: 'unknown-provider' | 'unknown-model';
      readonly provider: string;
      readonly id: string;
      readonly suggestions: readonly string[];
      /** version of the catalogue that was asked, for the message */
      readonly catalogue?: string;
    };

/** One file to analyse. `text` is decoded UTF-8 without BOM; `invalidUtf8` says that its bytes did not decode. */
export interface SourceText {
  readonly text: string;
  readonly invalidUtf8?: boolean;
}

/**
 * What the analysis asks of whoever runs it. Paths are project paths: relative to the root, `/` separators.
 * Everything but `ts`, `read` and `resolve` is optional; without it the rules that need it are silent.
 */
export interface AnalysisHost {
  readonly ts: TypeScript;
  /** undefined when the file does not exist */
  read(path: string): SourceText | undefined;
  resolve(specifier: string, fromPath: string): Resolution;
  /** a tree that the host has of this text anyway, so that an editor never parses twice */
  parsed?(path: string): ts.SourceFile | undefined;
  /** the tree that `checker()` knows; asking brings the file before it (tier T) */
  sourceFile?(path: string): ts.SourceFile | undefined;
  /** tier T; may be costly, asked only when a rule is otherwise undecided */
  checker?(): ts.TypeChecker | undefined;
  /**
   * stands for all that types rest on beside the texts of the project: options, packages, where specifiers lead. Another
   * object: nothing that types said before holds. Without it they are asked each time.
   */
  typeBasis?(): object;
  /** whether the project type-checks this JavaScript file (`typeChecksJs`); without it none is (RULE-12) */
  typeChecks?(path: string): boolean;
  /** for the person who runs the host: one line about what it cannot do */
  log?(line: string): void;
  resolveModelInfo?(specifier: string): ModelInfo | undefined;
}

/** What `checkJs` and the comments before the code say of a JavaScript file; the last comment wins, as in TypeScript. */
export function typeChecksJs(checkJs: boolean | undefined, text: string): boolean {
  const leading = /^(?:#![^\n]*\n)?(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/.exec(text)?.[0] ?? '';
  const said = [...leading.matchAll(/\/\/\s*@ts-(no)?check\b/g)].at(-1);
  return said ? said[1] === undefined : checkJs === true;
}
