import { resolve } from 'node:path';
import type { Project as MorphProject } from 'ts-morph';
import type ts from 'typescript';
import { type AnalysisHost, type SourceText, typeChecksJs } from '../analysis/host.ts';
import { ProjectError } from './project-error.ts';
import { createResolver } from './resolver.ts';
import { readSourceText } from './source-text.ts';
import { createTsconfigs } from './tsconfig.ts';
import { loadMorph, loadTypeScript, parseFile } from './typescript.ts';

/** The files of a project on disk, as the analysis asks for them. What was read is kept until it is said to have changed. */
export interface DiskHost extends AnalysisHost {
  /** the tree that the checker knows; asking for it brings the file before the checker */
  sourceFile(path: string): ts.SourceFile | undefined;
  /** a tree of the file alone, which is far cheaper */
  tree(path: string): ts.SourceFile | undefined;
  /** throws what made answers unreliable: a tsconfig that cannot be read (CHK-02) */
  throwFault(): void;
  /** options of the tsconfig that governs a file, or `undefined` when none does */
  compilerOptions(path: string): ts.CompilerOptions | undefined;
  /** text that the scan has just read: no file is read twice, and one that differs from before is parsed anew */
  provide(path: string, source: SourceText): void;
  /** files that the scan has just found, by absolute real path with project path (DET-07) */
  found(files: ReadonlyMap<string, string>): void;
  /** forget what was known of these files; of everything when a file came, went, or configures others */
  changed(paths: readonly string[] | 'everything'): void;
}

/** `root` is a real path; all other paths are relative to it. */
export function openDiskHost(root: string): DiskHost {
  const tsconfigs = createTsconfigs(loadTypeScript, root);
  const resolver = createResolver(loadTypeScript, root, tsconfigs);
  const texts = new Map<string, SourceText | undefined>();
  const trees = new Map<string, ts.SourceFile>();
  let program: MorphProject | undefined;
  let basis = {};

  const absolute = (path: string) => resolve(root, path);
  const read = (path: string): SourceText | undefined => {
    if (!texts.has(path))
      texts.set(
        path,
        noting(() => readSourceText(absolute(path)), undefined),
      );
    return texts.get(path);
  };
  const openProgram = (): MorphProject =>
    new (loadMorph().Project)({
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
    trees.delete(path);
    const file = program?.getSourceFile(absolute(path));
    if (file) program?.removeSourceFile(file);
  };

  return {
    get ts() {
      return loadTypeScript();
    },
    read,
    resolve: (specifier, fromPath) =>
      noting(() => resolver.resolve(specifier, fromPath), { kind: 'unresolved' }),
    throwFault() {
      if (fault !== undefined) throw fault;
    },
    sourceFile(path) {
      program ??= openProgram();
      const known = program.getSourceFile(absolute(path));
      if (known) return known.compilerNode as unknown as ts.SourceFile;
      const source = read(path);
      if (source === undefined) return undefined;
      return program.createSourceFile(absolute(path), source.text, { overwrite: true })
        .compilerNode as unknown as ts.SourceFile;
    },
    tree(path) {
      const source = read(path);
      if (source === undefined) return undefined;
      const known = trees.get(path) ?? parseFile(loadTypeScript(), absolute(path), source.text);
      trees.set(path, known);
      return known;
    },
    typeBasis: () => basis,
    typeChecks: (path) => typeChecksJs(tsconfigs.optionsFor(absolute(path)).checkJs, read(path)?.text ?? ''),
    checker: () => program?.getTypeChecker().compilerObject as unknown as ts.TypeChecker | undefined,
    compilerOptions: (path) =>
      tsconfigs.governs(resolve(absolute(path), '..')) ? tsconfigs.optionsFor(absolute(path)) : undefined,
    provide(path, source) {
      if (texts.get(path)?.text !== source.text) forget(path);
      texts.set(path, source);
    },
    found: resolver.found,
    changed(paths) {
      if (paths === 'everything') {
        texts.clear();
        trees.clear();
        tsconfigs.forget();
        resolver.forget();
        program = undefined;
        basis = {};
        fault = undefined;
        return;
      }
      for (const path of paths) forget(path);
    },
  };
}
