import type ts from 'typescript';
import type { Places } from './places.ts';

/** The authored files of one program. It does not hold the program, whose checker is large. */
export interface Snapshot {
  /** by real path */
  readonly trees: ReadonlyMap<string, ts.SourceFile>;
  readonly options: ts.CompilerOptions;
  /** the same while no file has come or gone and the compiler options are the same: imports lead where they led */
  readonly generation: symbol;
}

/** Programs are immutable, and the editor keeps one until something changes: each is walked once. */
export function createSnapshots(places: Places): { of(program: ts.Program): Snapshot } {
  const taken = new WeakMap<ts.Program, Snapshot>();
  let last: (Snapshot & { readonly names: readonly string[] }) | undefined;

  const take = (program: ts.Program): Snapshot => {
    const files = program.getSourceFiles().filter(isAuthored);
    const names = files.map(({ fileName }) => fileName);
    const options = program.getCompilerOptions();
    const before = last?.options === options && isSame(last.names, names) ? last : undefined;
    if (before === undefined) places.forget();
    const trees = new Map(files.map((tree) => [places.realPath(tree.fileName), tree]));
    last = { trees, options, names, generation: before?.generation ?? Symbol('generation') };
    return last;
  };

  return {
    of(program) {
      const snapshot = taken.get(program) ?? take(program);
      taken.set(program, snapshot);
      return snapshot;
    },
  };
}

function isAuthored({ fileName, isDeclarationFile }: ts.SourceFile): boolean {
  return !isDeclarationFile && !fileName.includes('/node_modules/');
}

function isSame(before: readonly string[], now: readonly string[]): boolean {
  return before.length === now.length && before.every((name, index) => name === now[index]);
}
