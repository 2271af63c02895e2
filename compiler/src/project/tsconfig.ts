import { dirname, join, relative, sep } from 'node:path';
import type ts from 'typescript';
import type { TypeScript } from '../analysis/host.ts';
import { existsSync, noteUnrepeatable, readFileSync } from './disk.ts';
import { type Memoized, memoized } from './memoized.ts';
import { ProjectError, unreadable } from './project-error.ts';

/** What keeps a tsconfig from being read at all; other complaints are for `tsc` to make. */
const UNREADABLE = new Set([5012, 5083, 6053, 18000]);
const isSyntaxError = (code: number) => code >= 1000 && code < 2000;

/** Compiler options of the nearest tsconfig or jsconfig of a file (RULE-10). */
export interface Tsconfigs {
  /** the same object for every folder that one config governs */
  optionsFor(file: string): ts.CompilerOptions;
  /** whether a config governs the folder at all */
  governs(directory: string): boolean;
  forget(): void;
}

export function createTsconfigs(load: () => TypeScript, root: string): Tsconfigs {
  let withoutConfig: ts.CompilerOptions | undefined;
  const parse = memoized((config: string) => parseConfig(load(), root, config));
  const configOf: Memoized<string | undefined> = memoized((directory) => {
    const own = ['tsconfig.json', 'jsconfig.json'].map((name) => join(directory, name));
    const parent = dirname(directory);
    return own.find((path) => existsSync(path)) ?? (parent === directory ? undefined : configOf(parent));
  });

  return {
    governs: (directory) => configOf(directory) !== undefined,
    optionsFor(file) {
      const config = configOf(dirname(file));
      if (config === undefined) {
        withoutConfig ??= defaultOptions(load());
        return withoutConfig;
      }
      const { options, references } = parse(config);
      const owner = references.map(parse).find((reference) => reference.files().has(file));
      return owner?.options ?? options;
    },
    forget() {
      configOf.forget();
      parse.forget();
    },
  };
}

function defaultOptions(api: TypeScript): ts.CompilerOptions {
  return forResolution(api, {
    module: api.ModuleKind.ESNext,
    moduleResolution: api.ModuleResolutionKind.Bundler,
    target: api.ScriptTarget.ESNext,
    allowImportingTsExtensions: true,
  });
}

interface ParsedConfig {
  readonly options: ts.CompilerOptions;
  /** configs that govern the files of a solution, which has none itself */
  readonly references: readonly string[];
  /** listed on demand: only a solution asks */
  files(): ReadonlySet<string>;
}

function parseConfig(api: TypeScript, root: string, path: string): ParsedConfig {
  const shown = relative(root, path).split(sep).join('/');
  const text = readText(path, shown);
  const source = api.parseConfigFileTextToJson(path, text);
  if (source.error) throw new ProjectError(shown, placed(api, text, source.error));

  const content = (listFiles: boolean) =>
    api.parseJsonConfigFileContent(source.config, parseHost(api, listFiles), dirname(path), undefined, path);
  const result = content(false);
  const fault = result.errors.find(({ code }) => UNREADABLE.has(code) || isSyntaxError(code));
  if (fault) throw new ProjectError(shown, api.flattenDiagnosticMessageText(fault.messageText, ' '));

  const isSolution = Array.isArray(source.config?.files) && source.config.files.length === 0;
  let files: ReadonlySet<string> | undefined;
  return {
    options: forResolution(api, result.options),
    references: isSolution
      ? (result.projectReferences ?? []).map((reference) => api.resolveProjectReferencePath(reference))
      : [],
    files: () => (files ??= new Set(content(true).fileNames)),
  };
}

/** JavaScript modules count, whatever the project type-checks (RULE-12). */
function forResolution(api: TypeScript, options: ts.CompilerOptions): ts.CompilerOptions {
  return {
    ...options,
    allowJs: true,
    moduleResolution: options.moduleResolution ?? api.ModuleResolutionKind.Bundler,
  };
}

function parseHost(api: TypeScript, listFiles: boolean): ts.ParseConfigHost {
  return {
    useCaseSensitiveFileNames: api.sys.useCaseSensitiveFileNames,
    fileExists: existsSync,
    readFile: (path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined),
    readDirectory: (...args) => {
      if (!listFiles) return [];
      noteUnrepeatable();
      return api.sys.readDirectory(...args);
    },
  };
}

function readText(path: string, shown: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw unreadable(shown, cause);
  }
}

function placed(api: TypeScript, text: string, fault: ts.Diagnostic): string {
  const message = api.flattenDiagnosticMessageText(fault.messageText, ' ');
  const before = text.slice(0, fault.start ?? 0).split('\n');
  return `${before.length}:${before.at(-1)!.length + 1} ${message}`;
}
