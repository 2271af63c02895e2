import type { EngineFailure } from './check/attempts.ts';
import { type CheckOptions, checkProject } from './check/check.ts';
import { compose } from './compose/compose.ts';
import { describeAgents, describeModules } from './compose/describe.ts';
import type { ResultMemory } from './compose/part-memory.ts';
import type { Project, ProjectSettings } from './compose/project.ts';
import type { Diagnostic } from './diagnostic.ts';
import type { FactMemory } from './file-facts.ts';
import type { AnalysisHost } from './host.ts';
import type { Module } from './program.ts';
import { rules } from './rules/index.ts';
import { recalled, summarize } from './summarize/summarize.ts';
import type { AgentFact, ModuleFact } from './summary.ts';
import { createTypeGrounds } from './type-ground.ts';
import { createTypes } from './types.ts';

export interface AnalysisOptions extends CheckOptions {
  readonly settings?: ProjectSettings | undefined;
  /** lowered files from an earlier run, by path, whose text and resolutions are known to be the same */
  readonly known?: ReadonlyMap<string, Module> | undefined;
  /** what earlier runs know of texts; the result is the same without it (CACHE-04) */
  readonly memory?: (FactMemory & ResultMemory) | undefined;
  /**
   * the analysis before an edit, of the same project: what it knows of files that are `known` and import nothing that
   * changed is taken over (CACHE-03). The result is the same without it.
   */
  readonly before?: Analysis | undefined;
}

export interface Analysis {
  /** ascending by path: the given files and what they import inside the project */
  readonly modules: readonly ModuleFact[];
  /** ascending by identity, then module */
  readonly agents: readonly AgentFact[];
  /** in the order of RULE-06 */
  readonly diagnostics: readonly Diagnostic[];
  /** rules that broke; a host reports them and does not fail for them (RULE-05) */
  readonly failures: readonly EngineFailure[];
  /** paths of the files whose syntax was looked at for this; all others were known by their text (CACHE-03) */
  readonly parsed: readonly string[];
  /** the lowered files, to be handed back as `known` */
  readonly lowered: readonly Module[];
  /** the modules joined; for the next analysis alone */
  readonly project: Project;
}

/** Analyse the given files and everything that they import inside the project. Never throws for what a file says. */
export function analyse(
  files: readonly string[],
  host: AnalysisHost,
  options: AnalysisOptions = {},
): Analysis {
  const failures: EngineFailure[] = [];
  const parsed: string[] = [];
  const lowered = load(files, { host, memory: options.memory, failures, parsed }, options.known);
  const { settings } = options;
  const { resolveModelInfo } = host;
  const types = settings?.typing === 'none' ? undefined : createTypes(host);
  const project = compose(
    lowered,
    { settings, resolveModelInfo, types, typeGrounds: createTypeGrounds(host), resultMemory: options.memory },
    usable(options),
  );
  const checked = checkProject(project, rules, options);
  return {
    modules: describeModules(project),
    agents: describeAgents(project),
    diagnostics: checked.diagnostics,
    failures: [...failures, ...checked.failures],
    parsed,
    lowered: project.modules,
    project,
  };

  /** Whatever else was asked before, other settings may give other findings. */
  function usable({ before }: AnalysisOptions): Project | undefined {
    const isSame =
      before?.project.resolveModelInfo === resolveModelInfo &&
      JSON.stringify(before?.project.settings) === JSON.stringify(settings ?? {});
    return isSame ? before?.project : undefined;
  }
}

interface Lowering {
  readonly host: AnalysisHost;
  readonly memory: FactMemory | undefined;
  readonly failures: EngineFailure[];
  readonly parsed: string[];
}

/** The files and their closure over imports inside the project, each read and lowered once. */
function load(
  files: readonly string[],
  lowering: Lowering,
  known: ReadonlyMap<string, Module> | undefined,
): Module[] {
  const modules = new Map<string, Module | undefined>();
  const queue = [...files];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (modules.has(path)) continue;
    const module = known?.get(path) ?? lower(path, lowering);
    modules.set(path, module);
    for (const resolution of Object.values(module?.resolutions ?? {})) {
      if (resolution.kind === 'project') queue.push(resolution.path);
    }
  }
  return [...modules.values()].filter((module) => module !== undefined);
}

function lower(path: string, { host, memory, failures, parsed }: Lowering): Module | undefined {
  try {
    const source = host.read(path);
    if (source === undefined) return undefined;
    // What did not decode has no text of its own to be known by.
    const facts = source.invalidUtf8 ? undefined : memory?.recallFacts(path, source.text);
    if (facts) return recalled(path, source.text, facts, host);
    parsed.push(path);
    const module = summarize(path, host);
    if (module && !source.invalidUtf8) memory?.keepFacts(path, source.text, module);
    return module;
  } catch (error) {
    failures.push({
      rule: 'FLUE5006',
      message: `${path}: ${error instanceof Error ? error.message : String(error)}`,
    });
    return undefined;
  }
}
