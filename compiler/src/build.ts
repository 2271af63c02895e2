import { resolve } from 'node:path';
import type { FlueProject } from '@flue/runtime/config';
import type { Manifest } from '@flue/runtime/internal';
import { openCacheFolder } from './cache/cache-folder.ts';
import { type CheckOutcome, recallCheck, recordCheck } from './cache/check-record.ts';
import { engineKey } from './cache/engine-key.ts';
import { type Compilation, type Compiler, openCompiler } from './compile.ts';
import { emitAgents } from './emit/agents.ts';
import { openTrace } from './project/disk.ts';
import { readSourceText } from './project/source-text.ts';

/** What a bundler reports of a project, and which functions it binds. */
export interface Built extends Omit<CheckOutcome, 'manifest'> {
  readonly project: FlueProject;
  /** the text that positions refer to */
  sourceText(path: string): string | undefined;
}

/** The builds of one project by one process; what they find is kept for the next one (CACHE-01). */
export interface Builds {
  /** The project as it is now: what an earlier process found, when nothing changed since (PERF-14), or compiled. */
  build(): Promise<Built>;
  /** The registration module of the latest build, its modules imported through `specifierOf` (REG-01). */
  registration(specifierOf: (module: string) => string): Promise<string>;
  /** `manifest.json` of the latest build; `undefined` where nobody asked for its registration module yet. */
  manifestText(): string | undefined;
  /** Compiled together with what lies beside the modules, such as the files of skills. */
  withSurroundings(): Promise<Compilation>;
  /** files that were edited, came or went, by project path */
  changed(paths: readonly string[]): void;
}

export function openBuilds(project: FlueProject): Builds {
  const cacheFolder = openCacheFolder(project.generatedDir);
  const question = { engine: engineKey(), project, options: 'build' };
  const tracer = openTrace();
  let compiler: Compiler | undefined;
  let compilation: Compilation | undefined;
  /** what was known before this process compiled anything */
  let remembered: CheckOutcome | undefined;
  let isFirst = true;

  async function compile(): Promise<Compilation> {
    isFirst = compiler === undefined;
    compiler ??= await openCompiler(project, { cacheFolder, tracer });
    compilation = compiler.compile();
    compiler.saveFacts();
    return compilation;
  }

  /** What a process that keeps running finds later rests on more than one look at the disk. */
  function record(outcome: CheckOutcome): void {
    if (cacheFolder !== undefined && isFirst && outcome.failures.length === 0)
      recordCheck(cacheFolder, question, tracer, outcome);
  }

  return {
    async build() {
      if (compiler === undefined && cacheFolder !== undefined) {
        remembered = recallCheck(cacheFolder, question);
        if (remembered !== undefined) return { ...remembered, project, sourceText: textOnDisk(project) };
      }
      const compiled = await compile();
      record(outcomeOf(compiled));
      return { ...outcomeOf(compiled), project, sourceText: compiled.sourceText };
    },
    async registration(specifierOf) {
      if (compilation === undefined && remembered?.manifest !== undefined)
        return emitAgents(JSON.parse(remembered.manifest) as Manifest, specifierOf);
      const compiled = compilation ?? (await compile());
      const text = compiled.agentsModule(specifierOf);
      record({ ...outcomeOf(compiled), manifest: compiled.manifestText() });
      return text;
    },
    manifestText: () => compilation?.manifestText() ?? remembered?.manifest,
    async withSurroundings() {
      compiler ??= await openCompiler(project, { cacheFolder, tracer });
      isFirst = false;
      return compiler.compile({ surroundings: { frozen: false } });
    },
    changed(paths) {
      isFirst = false;
      compiler?.changed(paths);
    },
  };
}

function outcomeOf({ diagnostics, failures, modules, agents }: Compilation): CheckOutcome {
  return { diagnostics, failures, files: modules.length, agents };
}

function textOnDisk({ root }: FlueProject): (path: string) => string | undefined {
  return (path) => readSourceText(resolve(root, path))?.text;
}
