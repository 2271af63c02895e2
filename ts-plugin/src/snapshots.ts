import type ts from 'typescript';
import type { Places } from './places.ts';

/** The authored files of one program. */
export interface Snapshot {
  /** by real path */
  readonly trees: ReadonlyMap<string, ts.SourceFile>;
  readonly program: ts.Program;
  /** the same while no file has come or gone and the compiler options are the same: imports lead where they led */
  readonly generation: symbol;
}

/** Programs are immutable, and the editor keeps one until something changes: each is walked once. */
export function createSnapshots(places: Places): { of(program: ts.Program): Snapshot } {
  let last: (Snapshot & { readonly names: readonly string[] }) | undefined;

  return {
    of(program) {
      if (last?.program === program) return last;
      const files = program.getSourceFiles().filter(isAuthored);
      const names = files.map(({ fileName }) => fileName);
      const isSameShape =
        last !== undefined &&
        last.program.getCompilerOptions() === program.getCompilerOptions() &&
        isSame(last.names, names);
      if (!isSameShape) places.forget();
      last = {
        trees: new Map(files.map((tree) => [places.realPath(tree.fileName), tree])),
        program,
        generation: isSameShape ? last!.generation : Symbol('generation'),
        names,
      };
      return last;
    },
  };
}

function isAuthored({ fileName, isDeclarationFile }: ts.SourceFile): boolean {
  return !isDeclarationFile && !fileName.includes('/node_modules/');
}

function isSame(before: readonly string[], now: readonly string[]): boolean {
  return before.length === now.length && before.every((name, index) => name === now[index]);
}
