import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type { Project as MorphProject } from 'ts-morph';
import type ts from 'typescript';
import type { AnalysisHost, SourceText } from '../analysis/host.ts';
import { ProjectError } from './project-error.ts';
import { createResolver } from './resolver.ts';
import { readSourceText } from './source-text.ts';
import { createTsconfigs } from './tsconfig.ts';

/** The files of a project on disk, as the analysis asks for them. What was read is kept until it is said to have changed. */
export interface DiskHost extends AnalysisHost {
  sourceFile(path: string): ts.SourceFile | undefined;
  /** throws what made answers unreliable: a tsconfig that cannot be read (CHK-02) */
  throwFault(): void;
  /** options of the tsconfig that governs a file, or `undefined` when none does */
  compilerOptions(path: string): ts.CompilerOptions | undefined;
  /** text that the scan has just read: no file is read twice, and one that differs from before is parsed anew */
  provide(path: string, source: SourceText): void;
  /** forget what was known of these files; of everything when a file came, went, or configures others */
  changed(paths: readonly string[] | 'everything'): void;
}

/** `root` is a real path; all other paths are relative to it. TypeScript is loaded here and nowhere else. */
export function openDiskHost(root: string): DiskHost {
  // Not `import()`: Node would scan ten megabytes of CommonJS for names before running it.
  const { Project, ts: api } = createRequire(import.meta.url)('ts-morph') as typeof import('ts-morph');
  // ts-morph publishes its TypeScript under its own declarations, which describe the same API.
  const bundled = api as unknown as typeof ts;
  const tsconfigs = createTsconfigs(bundled, root);
  const resolver = createResolver(bundled, root, tsconfigs);
  const texts = new Map<string, SourceText | undefined>();
  let trees: MorphProject | undefined;

  const absolute = (path: string) => resolve(root, path);
  const read = (path: string): SourceText | undefined => {
    if (!texts.has(path))
      texts.set(
        path,
        noting(() => readSourceText(absolute(path)), undefined),
      );
    return texts.get(path);
  };
  const openTrees = (): MorphProject =>
    new Project({
      skipAddingFilesFromTsConfig: true,
      skipFileDependencyResolution: true,
      compilerOptions: noting(() => tsconfigs.optionsFor(absolute('package.json')), {}) as never,
    });
  // The analysis survives whatever a host throws, so what ends the whole work is kept for whoever ordered it.
  let fault: ProjectError | undefined;
  const noting = <T>(ask: () => T, otherwise: T): T => {
    try {
      return ask();
    } catch (error) {
      if (!(error instanceof ProjectError)) throw error;
      fault ??= error;
      return otherwise;
    }
  };

  const forget = (path: string) => {
    texts.delete(path);
    const tree = trees?.getSourceFile(absolute(path));
    if (tree) trees?.removeSourceFile(tree);
  };

  return {
    ts: bundled,
    read,
    resolve: (specifier, fromPath) =>
      noting(() => resolver.resolve(specifier, fromPath), { kind: 'unresolved' }),
    throwFault() {
      if (fault !== undefined) throw fault;
    },
    sourceFile(path) {
      trees ??= openTrees();
      const known = trees.getSourceFile(absolute(path));
      if (known) return known.compilerNode as unknown as ts.SourceFile;
      const source = read(path);
      if (source === undefined) return undefined;
      return trees.createSourceFile(absolute(path), source.text, { overwrite: true })
        .compilerNode as unknown as ts.SourceFile;
    },
    checker: () => trees?.getTypeChecker().compilerObject as unknown as ts.TypeChecker | undefined,
    compilerOptions: (path) =>
      tsconfigs.governs(resolve(absolute(path), '..')) ? tsconfigs.optionsFor(absolute(path)) : undefined,
    provide(path, source) {
      if (texts.get(path)?.text !== source.text) forget(path);
      texts.set(path, source);
    },
    changed(paths) {
      if (paths === 'everything') {
        texts.clear();
        tsconfigs.forget();
        resolver.forget();
        trees = undefined;
        fault = undefined;
        return;
      }
      for (const path of paths) forget(path);
    },
  };
}
