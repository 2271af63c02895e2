import type { AnalysisHost } from './host.ts';
import type { Module } from './program.ts';

/**
 * The files of the project on which types in some modules rest: they and all that they import in any form, types included.
 * What a checker said of the modules holds for as long as these files and the host's `typeBasis` are the same.
 */
export interface TypeGround {
  readonly basis: object;
  /** project path to text; `undefined`: no such file */
  readonly texts: ReadonlyMap<string, string | undefined>;
  /** one of the files declares types for files that do not import it */
  readonly isAmbient: boolean;
}

export interface TypeGrounds {
  /** What the answers about these modules rest on now. */
  under(modules: Iterable<Module>): TypeGround;
  holds(ground: TypeGround): boolean;
}

interface Read {
  readonly text: string | undefined;
  /** project paths */
  readonly imports: readonly string[];
  readonly isAmbient: boolean;
}

/** By what the host says types rest on: where a specifier leads is part of that. */
const reads = new WeakMap<object, Map<string, Read>>();

/** `undefined` for a host that does not say when types have to be asked anew. */
export function createTypeGrounds(host: AnalysisHost): TypeGrounds | undefined {
  const basis = host.typeBasis?.();
  if (basis === undefined) return undefined;
  const known = reads.get(basis) ?? new Map<string, Read>();
  reads.set(basis, known);

  function read(path: string): Read {
    const text = host.read(path)?.text;
    const before = known.get(path);
    if (before && before.text === text) return before;
    const now = { text, imports: importsOf(path, text ?? ''), isAmbient: isAmbient(text ?? '') };
    known.set(path, now);
    return now;
  }

  function importsOf(path: string, text: string): string[] {
    const { importedFiles, referencedFiles } = host.ts.preProcessFile(text, true, true);
    const specifiers = [
      ...importedFiles.map(({ fileName }) => fileName),
      ...referencedFiles.map(({ fileName }) => (/^[./]/.test(fileName) ? fileName : `./${fileName}`)),
    ];
    return [...new Set(specifiers)].flatMap((specifier) => {
      const resolution = host.resolve(specifier, path);
      return resolution.kind === 'project' ? [resolution.path] : [];
    });
  }

  return {
    under(modules) {
      const paths = new Set([...modules].map(({ path }) => path));
      const texts = new Map<string, string | undefined>();
      let ambient = false;
      // A set hands out what is added while it is walked.
      for (const path of paths) {
        const { text, imports, isAmbient: isForAll } = read(path);
        texts.set(path, text);
        ambient ||= isForAll;
        for (const imported of imports) paths.add(imported);
      }
      return { basis, texts, isAmbient: ambient };
    },
    holds: (ground) =>
      ground.basis === basis && [...ground.texts].every(([path, text]) => host.read(path)?.text === text),
  };
}

/** `declare global`, `declare module`, or a script, whose declarations are everybody's. */
function isAmbient(text: string): boolean {
  const isScript = !/^\s*(?:import|export)\b/m.test(text);
  return isScript ? text.trim() !== '' : /\bdeclare\s+(?:global|module)\b/.test(text);
}
