import type ts from 'typescript';
import type { FileFacts } from '../file-facts.ts';
import { DIRECTIVE } from '../find.ts';
import type { AnalysisHost, Resolution } from '../host.ts';
import { lineStartsOf } from '../position.ts';
import type { Fn, ImportDeclaration, Module, ParseProblem } from '../program.ts';
import { TOP_LEVEL } from '../program.ts';
import { type Builder, collect, rangeOf } from './builder.ts';
import { lowerClass, lowerFunction } from './lower-function.ts';
import { declareImports } from './lower-module.ts';
import { lowerStatements } from './lower-statement.ts';
import { hoistVars, predeclare } from './scope.ts';
import { findSuppressions } from './suppressions.ts';

/** Lower one file. Its syntax is walked once; everything after works on the result. */
export function summarize(path: string, host: AnalysisHost): Module | undefined {
  const source = host.read(path);
  if (!source) return undefined;
  const { text } = source;
  const base = { path, text, lineStarts: lineStartsOf(text) };
  if (source.invalidUtf8) {
    return { ...base, ...EMPTY, problems: [{ start: 0, end: 0, message: 'it is not valid UTF-8' }] };
  }
  const file = host.parsed?.(path) ?? parse(host, path, text);
  const problems = syntaxProblems(host, file);
  if (problems.length > 0) return { ...base, ...EMPTY, problems };
  return { ...base, problems, ...lower(host, file, path) };
}

/** The module that `summarize` gave these facts of, without its syntax (CACHE-02). */
export function recalled(path: string, text: string, facts: FileFacts, host: AnalysisHost): Module {
  const resolutions = resolveAll(host, path, facts.imports);
  return { ...facts, path, text, lineStarts: lineStartsOf(text), resolutions };
}

const EMPTY = {
  marked: false,
  directives: [],
  imports: [],
  exports: [],
  resolutions: {},
  bindings: [],
  functions: [],
  calls: [],
  assignments: [],
  members: [],
  suppressions: [],
  references: [],
} satisfies Partial<Module>;

function parse({ ts: api }: AnalysisHost, path: string, text: string): ts.SourceFile {
  const kind = path.endsWith('x')
    ? path.endsWith('.jsx')
      ? api.ScriptKind.JSX
      : api.ScriptKind.TSX
    : /\.[cm]?js$/.test(path)
      ? api.ScriptKind.JS
      : api.ScriptKind.TS;
  // Without parents: a lowering goes down only, and setting them costs a seventh of the parse.
  return api.createSourceFile(path, text, { languageVersion: api.ScriptTarget.Latest }, false, kind);
}

/** Syntax errors of the file's own dialect: TypeScript's syntax in a JavaScript file is one too (FLUE5001). */
function syntaxProblems({ ts: api }: AnalysisHost, file: ts.SourceFile): ParseProblem[] {
  // Kept on every parsed file; the documented way to them is a program, which a single file does not have.
  const found = (file as ts.SourceFile & { parseDiagnostics?: readonly ts.DiagnosticWithLocation[] })
    .parseDiagnostics?.[0];
  if (found) {
    const message = api.flattenDiagnosticMessageText(found.messageText, ' ');
    return [{ start: found.start, end: found.start + found.length, message: message.replace(/\.$/, '') }];
  }
  if (!/\.[cm]?jsx?$/.test(file.fileName)) return [];
  const typed = firstTypeSyntax(api, file);
  if (!typed) return [];
  return [
    {
      start: typed.getStart(file),
      end: typed.end,
      message: 'type annotations are TypeScript, and this is a JavaScript file',
    },
  ];
}

function firstTypeSyntax(api: AnalysisHost['ts'], file: ts.SourceFile): ts.Node | undefined {
  const visit = (node: ts.Node): ts.Node | undefined => {
    if (api.isJSDoc(node)) return undefined;
    if (
      (api.isTypeNode(node) && !api.isExpressionWithTypeArguments(node)) ||
      api.isInterfaceDeclaration(node) ||
      api.isTypeAliasDeclaration(node) ||
      api.isEnumDeclaration(node) ||
      api.isNonNullExpression(node)
    ) {
      return node;
    }
    return api.forEachChild(node, visit);
  };
  return api.forEachChild(file, visit);
}

function lower(
  host: AnalysisHost,
  file: ts.SourceFile,
  path: string,
): Omit<Module, 'path' | 'text' | 'lineStarts' | 'problems'> {
  const top = { id: TOP_LEVEL } as Fn;
  const b: Builder = {
    api: host.ts,
    file,
    usesVar: /\bvar\b/.test(file.text),
    bindings: [],
    functions: [top],
    calls: [],
    imports: [],
    exports: [],
    directives: [],
    assignments: [],
    members: [],
    overloaded: new Set(),
    references: [],
    out: [],
    scope: { parent: undefined, owner: TOP_LEVEL, names: new Map() },
    fn: TOP_LEVEL,
    tryDepth: 0,
    chain: undefined,
    statement: { start: 0, end: 0 },
    topLevel: undefined,
    uses: new Map(),
    enter: { fn: lowerFunction, cls: lowerClass, statements: lowerStatements },
  };
  declareImports(b, file.statements);
  hoistVars(b, file);
  predeclare(b, file.statements);
  const body = collect(b, () => lowerStatements(b, file.statements, 'module'));
  const range = rangeOf(b, file);
  b.functions[TOP_LEVEL] = {
    id: TOP_LEVEL,
    name: undefined,
    nameRange: range,
    form: 'module',
    anonymous: true,
    async: false,
    generator: false,
    parent: TOP_LEVEL,
    params: [],
    body,
    bodyRange: range,
    ...range,
  };
  return {
    marked: b.directives.some(
      ({ place, form, text }) => place === 'prologue' && form === 'plain' && text === DIRECTIVE,
    ),
    directives: b.directives,
    imports: b.imports,
    exports: b.exports,
    resolutions: resolveAll(host, path, b.imports),
    bindings: b.bindings,
    functions: b.functions,
    calls: b.calls,
    assignments: b.assignments,
    members: b.members,
    suppressions: findSuppressions(b),
    references: b.references
      .sort((x, y) => x.offset - y.offset)
      .flatMap(({ offset, binding }) => [offset, binding]),
  };
}

function resolveAll(
  host: AnalysisHost,
  path: string,
  imports: readonly ImportDeclaration[],
): Record<string, Resolution> {
  const resolutions: Record<string, Resolution> = {};
  for (const { specifier, typeOnly } of imports) {
    if (!typeOnly) resolutions[specifier] ??= host.resolve(specifier, path);
  }
  return resolutions;
}
