import { posix } from 'node:path';
import * as runtime from '@flue/runtime';
import * as node from '@flue/runtime/node';
import * as routing from '@flue/runtime/routing';
import * as tool from '@flue/runtime/tool';
import ts from 'typescript';
import * as valibot from 'valibot';

export type Files = Readonly<Record<string, string>>;
export type Namespace = Record<string, unknown>;

/** What the published entries export today. */
export const ENTRIES: Readonly<Record<string, Namespace>> = {
  '@flue/runtime': runtime,
  '@flue/runtime/node': node,
  '@flue/runtime/routing': routing,
  '@flue/runtime/tool': tool,
};

/** Values of the world that a snippet refers to: the packages it imports, and names that it may use without importing. */
export interface World {
  readonly packages: Readonly<Record<string, Namespace>>;
  readonly ambient?: Namespace;
}

/**
 * Runs modules written in TypeScript against the real runtime, each after what it imports, and returns their exports by
 * path. They run as CommonJS in async functions: in this process and its module instances, top-level `await` included.
 */
export async function evaluate(files: Files, world: World): Promise<Map<string, Namespace>> {
  const done = new Map<string, Namespace>();
  const packages = { ...ENTRIES, valibot: { ...valibot, __esModule: true }, ...world.packages };
  const visit = async (path: string): Promise<void> => {
    if (done.has(path)) return;
    const exports: Namespace = {};
    done.set(path, exports);
    const text = files[path] ?? '';
    for (const { specifier } of importsOf(text)) {
      const target = projectPath(files, specifier, path);
      if (target !== undefined) await visit(target);
    }
    const require = (specifier: string): Namespace => {
      const target = projectPath(files, specifier, path);
      const found = target === undefined ? packages[specifier as keyof typeof packages] : done.get(target);
      if (!found) throw new Error(`"${specifier}" leads nowhere from ${path}.`);
      return found as Namespace;
    };
    const ambient = world.ambient ?? {};
    const names = Object.keys(ambient);
    const body = new AsyncFunction('exports', 'require', ...names, transpile(text));
    await body(exports, require, ...names.map((name) => ambient[name]));
    restoreName(exports);
  };
  for (const path of Object.keys(files)) if (/\.[mc]?[jt]s$/.test(path)) await visit(path);
  return done;
}

const AsyncFunction = (async () => {}).constructor as new (
  ...source: string[]
) => (...values: unknown[]) => Promise<void>;

function transpile(text: string): string {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.CommonJS,
      esModuleInterop: true,
      rewriteRelativeImportExtensions: false,
    },
  });
  return outputText;
}

/** As a module, an anonymous default export has the name `default`; its CommonJS form has another or none. */
function restoreName(exports: Namespace): void {
  const value = exports.default;
  if (typeof value === 'function' && /^(?:default_\d+)?$/.test(value.name)) {
    Object.defineProperty(value, 'name', { value: 'default', configurable: true });
  }
}

export interface Import {
  readonly specifier: string;
  /** imported names, as the other module calls them */
  readonly names: readonly string[];
}

/** The static imports and re-exports of a module that are there at run time. */
export function importsOf(text: string): Import[] {
  const source = ts.createSourceFile('module.ts', text, ts.ScriptTarget.Latest);
  return source.statements.flatMap((statement): Import[] => {
    if (ts.isExportDeclaration(statement) && statement.moduleSpecifier && !statement.isTypeOnly) {
      return [{ specifier: (statement.moduleSpecifier as ts.StringLiteral).text, names: [] }];
    }
    if (!ts.isImportDeclaration(statement)) return [];
    const clause = statement.importClause;
    if (clause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return [];
    const bindings = clause?.namedBindings;
    const named = bindings && ts.isNamedImports(bindings) ? bindings.elements : [];
    return [
      {
        specifier: (statement.moduleSpecifier as ts.StringLiteral).text,
        names: named.filter((e) => !e.isTypeOnly).map((e) => (e.propertyName ?? e.name).text),
      },
    ];
  });
}

function projectPath(files: Files, specifier: string, from: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const path = posix.join(posix.dirname(from), specifier);
  return [path, `${path}.ts`, path.replace(/\.js$/, '.ts')].find((candidate) => candidate in files);
}
