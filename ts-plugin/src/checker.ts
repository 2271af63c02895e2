import type { Diagnostic, TypeScript } from '@flue/compiler/analysis';
import type ts from 'typescript';
import { readFlueConfig } from './flue-config.ts';
import { openEditorHost } from './host.ts';
import { type Look, lookAgain } from './look.ts';
import { mentionsFlue } from './mentions-flue.ts';
import { createPlaces } from './places.ts';
import { createSnapshots, type Snapshot } from './snapshots.ts';
import { findStartFiles } from './start-files.ts';

/** What was found in one file, in the order of every report (RULE-06). */
export interface Findings {
  readonly list: readonly Diagnostic[];
  /** the tree that the spans of a project path refer to */
  treeOf(path: string): ts.SourceFile;
}

export interface Checker {
  /** `undefined` for a file that Flue has nothing to say about */
  findingsOf(fileName: string): Findings | undefined;
}

/** A look, and what of the editor it rests on. */
interface Placed {
  readonly look: Look;
  readonly snapshot: Snapshot;
  readonly configFile: string | undefined;
  /** versions, by absolute path, of what was read beside the program */
  readonly outside: ReadonlyMap<string, string>;
}

/**
 * The engine over the editor's own program (RULE-01). Each Flue project in it is looked at as a whole, since identities
 * are unique across files and findings follow imports; after an edit only the edited files are lowered anew (RULE-35).
 */
export function createChecker(
  api: TypeScript,
  info: ts.server.PluginCreateInfo,
  log: (line: string) => void,
): Checker {
  const places = createPlaces(info);
  const snapshots = createSnapshots(places);
  const placed = new Map<string, Placed>();

  const lookAt = (root: string, program: ts.Program, before: Placed | undefined): Placed => {
    const snapshot = snapshots.of(program);
    const host = openEditorHost(api, info, places, program, snapshot, root, log);
    const configFile = places.configOf(root);
    const config = readFlueConfig(api, configFile && host.readOutside(configFile));
    const startFiles = findStartFiles(root, snapshot, places, config);
    const settings = { severities: config.rules, profile: config.profile };
    const isSameShape = before?.snapshot.generation === snapshot.generation;
    const look = lookAgain(host, startFiles, settings, before?.look, isSameShape);
    if (look !== before?.look) report(look, config.computed);
    return { look, snapshot, configFile, outside: host.outside() };
  };

  const report = ({ lowered, failures }: Look, computed: readonly string[]) => {
    log(`analysed a project of ${lowered.size} files`);
    if (computed.length > 0) {
      log(`computed in the Flue config, so not set in the editor: ${computed.join(', ')}`);
    }
    for (const { rule, message } of failures) log(`${rule} failed: ${message}`);
  };

  const isCurrent = ({ snapshot: seen, configFile, outside }: Placed, root: string, snapshot: Snapshot) =>
    seen === snapshot &&
    configFile === places.configOf(root) &&
    [...outside].every(([path, version]) => places.versionOf(path) === version);

  /** Files beside the program have no tree in it, and a related place may be in one. */
  const treeAt = (path: string, { trees }: Snapshot) =>
    trees.get(path) ?? api.createSourceFile(path, places.read(path) ?? '', api.ScriptTarget.Latest);

  return {
    findingsOf(fileName) {
      const program = info.languageService.getProgram();
      const tree = program?.getSourceFile(fileName);
      if (program === undefined || tree === undefined) return undefined;
      const realPath = places.realPath(fileName);
      const root = places.rootOf(realPath);
      if (root === undefined) return undefined;
      const path = places.projectPath(root, realPath);
      const before = placed.get(root);
      // Neither ours nor reached by ours: the program is not even asked for its files (PERF-11).
      if (before !== undefined && !mentionsFlue(tree) && !before.look.lowered.has(path)) return undefined;

      const now =
        before !== undefined && isCurrent(before, root, snapshots.of(program))
          ? before
          : lookAt(root, program, before);
      placed.set(root, now);
      const list = now.look.findings.get(path);
      return list && { list, treeOf: (of) => treeAt(places.absolute(root, of), now.snapshot) };
    },
  };
}
