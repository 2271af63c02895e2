import { type Analysis, type AnalysisHost, type TypeScript, typeChecksJs } from '@flue/compiler/analysis';
import type ts from 'typescript';
import type { Places } from './places.ts';
import { createResolver } from './resolver.ts';
import type { Snapshot } from './snapshots.ts';

type Lowered = Analysis['lowered'][number];

/** One Flue project as the editor's program and documents have it, for one look. */
export interface EditorHost extends AnalysisHost {
  /** A file beside the program: JavaScript that is not type-checked, the Flue config. */
  readOutside(path: string): string | undefined;
  /** versions of what was read beside the program, by absolute path */
  outside(): ReadonlyMap<string, string>;
  /** lowered files whose text and imports are still what was lowered */
  stillTrue(lowered: ReadonlyMap<string, Lowered>): ReadonlyMap<string, Lowered>;
}

export function openEditorHost(
  api: TypeScript,
  info: ts.server.PluginCreateInfo,
  places: Places,
  program: ts.Program,
  { trees, options }: Snapshot,
  root: string,
  log: (line: string) => void,
): EditorHost {
  // The engine asks nodes for their parents, which a program sets with its checker. The editor needs that one anyway.
  const checker = program.getTypeChecker();
  const resolve = createResolver(api, info, places, options, root);
  const versions = new Map<string, string>();
  const absolute = (path: string) => places.absolute(root, path);

  const readOutside = (path: string) => {
    versions.set(path, places.versionOf(path));
    return places.read(path);
  };
  const treeAt = (path: string) => trees.get(absolute(path));
  const textOf = (path: string) => treeAt(path)?.text ?? readOutside(absolute(path));
  const leadsWhereItLed = ({ path, resolutions }: Lowered) =>
    // Modules that come or go change the program; other files do not.
    Object.entries(resolutions).every(
      ([specifier, { kind }]) =>
        (kind !== 'asset' && kind !== 'unresolved') || resolve(specifier, path).kind === kind,
    );

  return {
    ts: api,
    read(path) {
      const text = textOf(path);
      return text === undefined ? undefined : { text };
    },
    resolve,
    parsed: treeAt,
    sourceFile: treeAt,
    typeChecks: (path) => typeChecksJs(options.checkJs, textOf(path) ?? ''),
    checker: () => checker,
    log,
    readOutside,
    outside: () => versions,
    stillTrue: (lowered) =>
      new Map(
        [...lowered].filter(([path, module]) => textOf(path) === module.text && leadsWhereItLed(module)),
      ),
  };
}
