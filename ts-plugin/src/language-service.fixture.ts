import ts from 'typescript';
import { decorate } from './proxy.ts';

const ROOT = '/project';

/** The plugin around a real language service, over files in memory. Paths are relative to the project. */
export interface DecoratedService {
  /** codes of our findings, of all three kinds */
  codes(file: string): number[];
  /** the text of a file after each action offered for a finding, by title */
  repaired(file: string, code: number): Record<string, string>;
  /** a new text for the file; `undefined` deletes it */
  edit(file: string, text: string | undefined): void;
  /** lines that the plugin has logged since the last call */
  logged(): string[];
  /** how often the plugin has asked a program for all its files since the last call */
  walks(): number;
  /** what tsserver does when a tsconfig has changed */
  decorateAgain(): void;
}

export function decoratedService(files: Readonly<Record<string, string>>): DecoratedService {
  const texts = new Map(
    Object.entries({ 'package.json': '{}', ...files }).map(([file, text]) => [`${ROOT}/${file}`, text]),
  );
  const versions = new Map<string, number>();
  const versionOf = (path: string) => String(versions.get(path) ?? 0);
  let lines: string[] = [];
  let walks = 0;

  const host: ts.LanguageServiceHost = {
    // Types are no matter here, and the libraries would cost more than all the rest.
    getCompilationSettings: () => OPTIONS,
    getScriptFileNames: () => [...texts.keys()].filter((path) => path.endsWith('.ts')),
    getScriptVersion: versionOf,
    getScriptSnapshot: (path) => {
      const text = texts.get(path);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => ROOT,
    getDefaultLibFileName: () => `${ROOT}/lib.d.ts`,
    fileExists: (path) => texts.has(path),
    readFile: (path) => texts.get(path),
    directoryExists: (directory) => [...texts.keys()].some((path) => path.startsWith(`${directory}/`)),
  };
  const plain = ts.createLanguageService(host);
  const counting = new WeakMap<ts.Program, ts.Program>();
  const getProgram = () => {
    const program = plain.getProgram()!;
    const known = counting.get(program) ?? { ...program, getSourceFiles: () => walk(program) };
    counting.set(program, known);
    return known;
  };
  const walk = (program: ts.Program) => {
    walks += 1;
    return program.getSourceFiles();
  };
  const projectService = {
    logger: { info: (line: string) => lines.push(line) },
    getScriptInfo: () => undefined,
  };
  const info = {
    project: { projectService },
    languageServiceHost: host,
    serverHost: {
      directoryExists: host.directoryExists,
      readFile: host.readFile,
      getModifiedTime: (path: string) => new Date(Number(versionOf(path))),
    },
  };
  const decorateService = (languageService: ts.LanguageService) =>
    decorate(ts, { ...info, languageService } as unknown as ts.server.PluginCreateInfo);
  let service = decorateService({ ...plain, getProgram });

  const findings = (path: string) =>
    [
      ...service.getSyntacticDiagnostics(path),
      ...service.getSemanticDiagnostics(path),
      ...service.getSuggestionDiagnostics(path),
    ].filter(({ source }) => source === 'flue');

  return {
    codes: (file) => findings(`${ROOT}/${file}`).map(({ code }) => code),
    repaired(file, code) {
      const path = `${ROOT}/${file}`;
      const { start = 0, length = 0 } = findings(path).find((finding) => finding.code === code)!;
      const actions = service.getCodeFixesAtPosition(path, start, start + length, [code], {}, {});
      const text = texts.get(path)!;
      return Object.fromEntries(
        actions.map(({ description, changes }) => [description, applied(text, changes[0]!.textChanges)]),
      );
    },
    edit(file, text) {
      const path = `${ROOT}/${file}`;
      if (text === undefined) texts.delete(path);
      else texts.set(path, text);
      versions.set(path, Number(versionOf(path)) + 1);
    },
    logged() {
      const since = lines;
      lines = [];
      return since;
    },
    walks() {
      const since = walks;
      walks = 0;
      return since;
    },
    decorateAgain() {
      service = decorateService(service);
    },
  };
}

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  noEmit: true,
  noLib: true,
  types: [],
};

/** Changes refer to the text before all of them, so the last one is applied first. */
function applied(text: string, changes: readonly ts.TextChange[]): string {
  const fromTheEnd = [...changes].sort((a, b) => b.span.start - a.span.start);
  return fromTheEnd.reduce(
    (result, { span, newText }) =>
      result.slice(0, span.start) + newText + result.slice(span.start + span.length),
    text,
  );
}
