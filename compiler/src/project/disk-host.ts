import { resolve } from 'node:path';
import type { Project as MorphProject } from 'ts-morph';
import type ts from 'typescript';
import type { AnalysisHost, SourceText } from '../analysis/host.ts';
import { createResolver } from './resolver.ts';
import { readSourceText } from './source-text.ts';
import { createTsconfigs } from './tsconfig.ts';

/** The files of a project on disk, as the analysis asks for them. What was read is kept until it is said to have changed. */
export interface DiskHost extends AnalysisHost {
  sourceFile(path: string): ts.SourceFile | undefined;
  /** options of the tsconfig that governs a file, or `undefined` when none does */
  compilerOptions(path: string): ts.CompilerOptions | undefined;
  /** text that the scan has read already, so that no file is read twice */
  provide(path: string, source: SourceText): void;
  /** forget what was known of these files; of everything when a file came, went, or configures others */
  changed(paths: readonly string[] | 'everything'): void;
}

/** `root` is a real path; all other paths are relative to it. TypeScript is loaded here and nowhere else. */
export async function openDiskHost(root: string): Promise<DiskHost> {
  const { Project, ts: api } = await import('ts-morph');
  // ts-morph publishes its TypeScript under its own declarations, which describe the same API.
  const bundled = api as unknown as typeof ts;
  const tsconfigs = createTsconfigs(bundled, root);
  const resolver = createResolver(bundled, root, tsconfigs);
  const texts = new Map<string, SourceText | undefined>();
  let trees: MorphProject | undefined;

  const absolute = (path: string) => resolve(root, path);
  const read = (path: string): SourceText | undefined => {
    if (!texts.has(path)) texts.set(path, readSourceText(absolute(path)));
    return texts.get(path);
  };
  const openTrees = (): MorphProject =>
    new Project({
      skipAddingFilesFromTsConfig: true,
      skipFileDependencyResolution: true,
      compilerOptions: tsconfigs.optionsFor(absolute('package.json')) as never,
    });

  return {
    ts: bundled,
    read,
    resolve: resolver.resolve,
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
    provide: (path, source) => void texts.set(path, source),
    changed(paths) {
      if (paths === 'everything') {
        texts.clear();
        tsconfigs.forget();
        resolver.forget();
        trees = undefined;
        return;
      }
      for (const path of paths) {
        texts.delete(path);
        const tree = trees?.getSourceFile(absolute(path));
        if (tree) trees?.removeSourceFile(tree);
      }
    },
  };
}
