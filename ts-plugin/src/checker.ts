import { type Analysis, analyse, type Diagnostic, type TypeScript } from '@flue/compiler/analysis';
import type ts from 'typescript';
import { readFlueConfig } from './flue-config.ts';
import { openEditorHost } from './host.ts';
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

/** One look at one Flue project, and what it rests on. */
interface Look {
  readonly snapshot: Snapshot;
  readonly configFile: string | undefined;
  /** versions, by absolute path, of what was read beside the program */
  readonly outside: ReadonlyMap<string, string>;
  readonly lowered: ReadonlyMap<string, Analysis['lowered'][number]>;
  readonly findings: ReadonlyMap<string, Findings>;
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
  const looks = new Map<string, Look>();

  const lookAt = (root: string, snapshot: Snapshot, before: Look | undefined): Look => {
    const host = openEditorHost(api, info, places, snapshot, root);
    const configFile = places.configOf(root);
    const config = readFlueConfig(api, configFile && host.readOutside(configFile));
    if (config.computed.length > 0) {
      log(`computed in the Flue config, so not set in the editor: ${config.computed.join(', ')}`);
    }
    const isSameShape = before?.snapshot.generation === snapshot.generation;
    const analysis = analyse(findStartFiles(root, snapshot, places, config), host, {
      severities: config.rules,
      profile: config.profile,
      known: isSameShape ? host.stillTrue(before.lowered) : undefined,
    });
    for (const { rule, message } of analysis.failures) log(`${rule} failed: ${message}`);
    return {
      snapshot,
      configFile,
      outside: host.outside(),
      lowered: new Map(analysis.lowered.map((module) => [module.path, module])),
      findings: new Map(
        [...byPath(analysis.diagnostics)].map(([path, list]) => [path, { list, treeOf: host.treeOf }]),
      ),
    };
  };

  const isCurrent = (look: Look, root: string, snapshot: Snapshot) =>
    look.snapshot === snapshot &&
    look.configFile === places.configOf(root) &&
    [...look.outside].every(([path, version]) => places.versionOf(path) === version);

  return {
    findingsOf(fileName) {
      const program = info.languageService.getProgram();
      const tree = program?.getSourceFile(fileName);
      if (program === undefined || tree === undefined) return undefined;
      const realPath = places.realPath(fileName);
      const root = places.rootOf(realPath);
      if (root === undefined) return undefined;
      const path = places.projectPath(root, realPath);
      let look = looks.get(root);
      // Neither ours nor reached by ours: the program is not even asked for its files (PERF-11).
      if (look !== undefined && !mentionsFlue(tree) && !look.lowered.has(path)) return undefined;

      const snapshot = snapshots.of(program);
      if (look === undefined || !isCurrent(look, root, snapshot)) {
        look = lookAt(root, snapshot, look);
        looks.set(root, look);
      }
      return look.findings.get(path);
    },
  };
}

function byPath(diagnostics: readonly Diagnostic[]): Map<string, Diagnostic[]> {
  const groups = new Map<string, Diagnostic[]>();
  for (const diagnostic of diagnostics) {
    const group = groups.get(diagnostic.span.path);
    if (group) group.push(diagnostic);
    else groups.set(diagnostic.span.path, [diagnostic]);
  }
  return groups;
}
