import { join, relative, sep } from 'node:path';
import type { FlueProject } from '@flue/runtime/config';
import { canonicalJson, type Manifest } from '@flue/runtime/internal';
import { type Analysis, analyse } from './analysis/analyse.ts';
import { type CheckOptions, type CheckResult, check } from './analysis/check/check.ts';
import { type ConfiguredSeverity, isBuildBlocking } from './analysis/check/severities.ts';
import type { ProjectSettings, Typing } from './analysis/compose/project.ts';
import { compareDiagnostics, type Diagnostic } from './analysis/diagnostic.ts';
import { rules } from './analysis/rules/index.ts';
import { createTypes, type OpenTypes } from './analysis/types.ts';
import { engineKey } from './cache/engine-key.ts';
import { type FactStore, openFactStore } from './cache/fact-store.ts';
import { emitAgents } from './emit/agents.ts';
import { emitApplicationModules } from './emit/application-modules.ts';
import { outputJsonSchema } from './emit/client-output-schema.ts';
import { keptSchemas } from './emit/kept-schemas.ts';
import { emitManifest } from './emit/manifest.ts';
import { type PackagedSkill, packageSkill } from './emit/packaged-skill.ts';
import { loadSchemaLibrary } from './emit/schema-library.ts';
import { createSchemaReader } from './emit/schema-reader.ts';
import { importSpecifier } from './emit/specifiers.ts';
import { staticMounts } from './emit/static-mounts.ts';
import { needsTypes, toolResults } from './emit/tool-results.ts';
import { existsSync, readFileSync, type Tracer } from './project/disk.ts';
import { type DiskHost, openDiskHost } from './project/disk-host.ts';
import { gatherFacts } from './project/facts/gather-facts.ts';
import { generatedFiles } from './project/facts/generated-files.ts';
import { trackedFiles } from './project/facts/git.ts';
import { skillFolders } from './project/facts/skill-folders.ts';
import { type Candidates, findCandidates, reviseCandidates } from './project/find-candidates.ts';
import { globMatcher } from './project/glob.ts';
import { openModelCatalogue } from './project/model-catalogue.ts';
import { createModuleNames, toolchainVersions } from './project/package-info.ts';

export interface CompilerOptions {
  /** where facts of earlier runs are kept (CACHE-01); without it none are read or written */
  readonly cacheFolder?: string | undefined;
  /** notes what is read of the disk */
  readonly tracer?: Tracer | undefined;
}

export interface CompileOptions {
  /** by code or name; wins over `check.rules` of the configuration (RULE-32) */
  readonly severities?: Readonly<Record<string, ConfiguredSeverity>>;
  /**
   * Judge what lies beside the modules too: lock, generated files, skills, migrations (`flue check`). `frozen`: all of
   * that has to be current (RULE-33). Without it, what a generation is about to write is nobody's fault.
   */
  readonly surroundings?: { readonly frozen: boolean };
  /** which questions the type checker is asked (RULE-07); without it the client is not judged, since it is made of types */
  readonly typing?: Typing;
  /** runs what a rule does, for who measures it (PERF-17) */
  readonly aroundRule?: CheckOptions['aroundRule'];
}

type Lowered = Analysis['lowered'][number];

/** One look at the whole project. */
export interface Compilation {
  readonly project: FlueProject;
  readonly agents: Analysis['agents'];
  readonly modules: Analysis['modules'];
  /** in the order of RULE-06 */
  readonly diagnostics: readonly Diagnostic[];
  /** those without which a build would not know its agents; nothing is emitted while there is one (EMIT-03) */
  readonly blocking: readonly Diagnostic[];
  /** rules that broke; what they would have found is missing (RULE-05) */
  readonly failures: Analysis['failures'];
  /** project paths of the files that were parsed for it: what was known of the others still held (CACHE-03) */
  readonly parsed: readonly string[];
  /** computed when first asked for */
  manifest(): Manifest;
  /** `manifest.json` as it is written */
  manifestText(): string;
  /** the registration module, as imported from a file at `from` (project path) or through `specifierOf` */
  agentsModule(specifierOf?: (module: string) => string): string;
  /** generated files by project path; the client among them asks for types, so a build that writes none stays without */
  outputs(): ReadonlyMap<string, string>;
  /** the text that positions refer to */
  sourceText(path: string): string | undefined;
}

/** Keeps what it has read between compilations, for hosts that watch (EMIT-08). */
export interface Compiler {
  compile(options?: CompileOptions): Compilation;
  /** files that were edited, by project path; `everything` when files came or went or a config changed */
  changed(paths: readonly string[] | 'everything'): void;
  /** These files were edited and nothing else happened: the next compilation reads no other source (CACHE-03). */
  edited(paths: readonly string[]): void;
  /**
   * Ask the project's own runtime about the model specifiers that no compilation could judge so far (SPEC-12). True when
   * the next compilation will report some of them.
   */
  lookUpModels(): Promise<boolean>;
  /** Keep what is known of the files for later runs, where there is a cache; never throws (CACHE-05). */
  saveFacts(): void;
}

/** Find, parse, summarize, check, emit: this file alone knows all five steps. */
export async function openCompiler(
  project: FlueProject,
  { cacheFolder, tracer }: CompilerOptions = {},
): Promise<Compiler> {
  const during = tracer?.during ?? (<T>(work: () => T) => work());
  /** Asked for after the look at the project is over, and read then. */
  const onceTraced = <T>(compute: () => T) => once(() => during(compute));
  const library = await loadSchemaLibrary(project.root);
  const host = openDiskHost(project.root);
  const models = openModelCatalogue(project.root);
  const versions = during(() => toolchainVersions(project.root));
  const libraries = JSON.stringify(versions);
  const moduleName = createModuleNames(project.root);
  let known: ReadonlyMap<string, Lowered> = new Map();
  let before: Analysis | undefined;
  let mayLeadElsewhere = false;
  let candidates: Candidates | undefined;
  let edited: ReadonlySet<string> | undefined;
  let store: FactStore | undefined;
  if (cacheFolder !== undefined) store = openFactStore(join(cacheFolder, 'facts'), engineKey());

  return {
    async lookUpModels() {
      const isTold = await models.lookUp();
      during(models.noteWhatItRestsOn);
      return isTold;
    },
    saveFacts() {
      store?.save();
      store = undefined;
    },
    edited(paths) {
      host.changed(paths);
      edited = new Set([...(edited ?? []), ...paths]);
    },
    changed(paths) {
      host.changed(paths);
      candidates = undefined;
      if (paths === 'everything') mayLeadElsewhere = true;
    },
    compile: ({ severities = {}, surroundings, typing = 'undecided', aroundRule } = {}) =>
      during(() => {
        candidates =
          candidates && edited
            ? reviseCandidates(candidates, edited, project, host)
            : findCandidates(project, host);
        edited = undefined;
        const { paths, scanned } = candidates;
        const policy = {
          severities: { ...project.config.check?.rules, ...severities },
          profile: project.config.check?.profile ?? 'default',
          aroundRule,
        } as const;
        const analysis = analyse(
          paths,
          Object.create(host, { resolveModelInfo: { value: models.known() } }),
          {
            ...policy,
            settings: { ...settingsOf(project), typing },
            known: stillTrue(known, host, mayLeadElsewhere),
            memory: store,
            before,
            ...(surroundings && {
              facts: (modules) => gatherFacts(project, host, modules, { scanned, ...surroundings }),
            }),
          },
        );
        host.throwFault();
        mayLeadElsewhere = false;
        known = new Map(analysis.lowered.map((module) => [module.path, module]));
        before = analysis;

        const folder = projectPath(project, project.generatedDir);
        const schemas = once(() => ({
          input: keptSchemas(createSchemaReader(host, library), analysis.project, `input ${libraries}`),
          output: keptSchemas(
            createSchemaReader(host, { ...library, toJsonSchema: outputJsonSchema }),
            analysis.project,
            `output ${libraries}`,
          ),
        }));
        const keeping = <T>(generate: () => T): T => {
          const generated = generate();
          schemas().input.keep();
          schemas().output.keep();
          return generated;
        };
        const manifest = onceTraced(() =>
          keeping(() =>
            emitManifest(analysis, {
              target: project.target,
              sourceRoot: projectPath(project, project.sourceRoot),
              versions,
              moduleName,
              schemas: schemas().input,
              skills: packagedSkills(project.root, analysis.lowered),
              ...(project.app !== undefined && {
                mounts: staticMounts(analysis.agents, {
                  app: projectPath(project, project.app),
                  folder,
                  host,
                }),
              }),
              text: (path) => host.read(path)?.text,
            }),
          ),
        );
        const agentsModule = (specifierOf = generatedSpecifiers(project, host)) =>
          emitAgents(manifest(), specifierOf);
        const manifestText = once(() => canonicalJson(manifest()));
        const generate = (types: OpenTypes | undefined) =>
          keeping(
            () =>
              new Map([
                [`${folder}/manifest.json`, manifestText()],
                [`${folder}/agents.ts`, agentsModule()],
                ...emitApplicationModules(manifest(), analysis.agents, {
                  folder,
                  schemas: schemas(),
                  results: toolResults(analysis.agents, analysis.lowered, types),
                  specifierOf: generatedSpecifiers(project, host),
                }),
              ]),
          );
        const outputs = onceTraced(() => generate(typing === 'none' ? undefined : createTypes(host)));
        const judged = () => {
          if (!needsTypes(analysis.agents)) return outputs();
          const client = `${folder}/client.ts`;
          const isAsked = surroundings?.frozen === true || mattersNow(project, client, manifestText);
          if (typing !== 'none' && isAsked) return outputs();
          return new Map([...generate(undefined)].filter(([path]) => path !== client));
        };
        // What the sources generate is known only now, so that the rule about it runs by itself.
        const isWanted = surroundings !== undefined && !analysis.diagnostics.some(isBuildBlocking);
        const stale = isWanted
          ? checkGenerated(project, judged, { ...policy, ...surroundings })
          : { diagnostics: [], failures: [] };
        const found = [...analysis.diagnostics, ...stale.diagnostics].sort(compareDiagnostics);
        const diagnostics = withoutIgnored(found, project);
        return {
          project,
          agents: analysis.agents,
          modules: analysis.modules,
          diagnostics,
          failures: [...analysis.failures, ...stale.failures],
          parsed: analysis.parsed,
          blocking: diagnostics.filter(isBuildBlocking),
          manifest,
          manifestText,
          agentsModule,
          outputs,
          sourceText: (path) => host.read(path)?.text,
        };
      }),
  };
}

/**
 * Whether the client is worth its types: when it is committed (GEN-04), or when nothing else says that it is out of date.
 * After an edit the manifest does, and a check that runs again at every edit must not ask the checker each time.
 */
function mattersNow(project: FlueProject, client: string, manifestText: () => string): boolean {
  const manifest = join(project.generatedDir, 'manifest.json');
  if (!existsSync(manifest) || readFileSync(manifest, 'utf8') === manifestText()) return true;
  return trackedFiles(project.root, [client]).has(client);
}

/** Skills that some module imports and that are whole (FLUE3202), by project path of their `SKILL.md`. */
function packagedSkills(root: string, modules: Analysis['lowered']): ReadonlyMap<string, PackagedSkill> {
  const packaged = skillFolders(root, modules).map((folder) => packageSkill(root, folder));
  return new Map(packaged.flatMap((skill) => (skill === undefined ? [] : [[skill.module, skill]])));
}

/** Lowered files whose text is still what was lowered and whose imports, where that is in doubt, lead where they led. */
function stillTrue(
  known: ReadonlyMap<string, Lowered>,
  host: DiskHost,
  mayLeadElsewhere: boolean,
): Map<string, Lowered> {
  const holds = ({ path, text, resolutions }: Lowered) =>
    host.read(path)?.text === text &&
    (!mayLeadElsewhere ||
      Object.entries(resolutions).every(
        ([specifier, led]) => JSON.stringify(host.resolve(specifier, path)) === JSON.stringify(led),
      ));
  return new Map([...known].filter(([, module]) => holds(module)));
}

/** A generator that breaks costs no other finding (RULE-05). */
function checkGenerated(
  project: FlueProject,
  outputs: () => ReadonlyMap<string, string>,
  { frozen, ...policy }: CheckOptions & { readonly frozen: boolean },
): CheckResult {
  try {
    const generated = generatedFiles(project, outputs);
    return check([], rules, { ...policy, facts: () => ({ generated, frozen }) });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { diagnostics: [], failures: [{ rule: 'FLUE5004', message }] };
  }
}

function settingsOf(project: FlueProject): ProjectSettings {
  const { target, app, cloudflare } = project;
  return {
    target,
    appEntry: app && projectPath(project, app),
    cloudflareEntry: target === 'cloudflare' && cloudflare ? projectPath(project, cloudflare) : undefined,
  };
}

/** `check.ignore` silences files, but never what a build depends on (RULE-32). */
function withoutIgnored(diagnostics: readonly Diagnostic[], project: FlueProject): readonly Diagnostic[] {
  const isIgnored = globMatcher(project.config.check?.ignore ?? []);
  return diagnostics.filter((diagnostic) => isBuildBlocking(diagnostic) || !isIgnored(diagnostic.span.path));
}

function generatedSpecifiers(project: FlueProject, host: DiskHost): (module: string) => string {
  const file = `${projectPath(project, project.generatedDir)}/agents.ts`;
  const options = host.compilerOptions(file);
  const typescriptExtensions =
    options === undefined ||
    Boolean(options.allowImportingTsExtensions || options.rewriteRelativeImportExtensions);
  return (module) => importSpecifier(file, module, typescriptExtensions);
}

function projectPath(project: FlueProject, path: string): string {
  return relative(project.root, path).split(sep).join('/') || '.';
}

function once<T>(compute: () => T): () => T {
  let known: { value: T } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}
