import { relative } from 'node:path';
import { type Builds, type Built, loadProject, openBuilds, prettyReport } from '@flue/compiler';
import type { FlueConfig } from '@flue/runtime/config';
import type { UnpluginBuildContext, UnpluginOptions } from 'unplugin';
import { type BoundAgent, bindIdentities } from './bind-identities.ts';
import { type ImportersOf, refusedInBrowser } from './browser-builds.ts';
import { describeFailures } from './describe-failures.ts';
import { isMarkdown, isSkill, markdownModule } from './markdown-modules.ts';
import { moduleId } from './module-id.ts';
import { isVirtual, posix, type VirtualId, virtualModule } from './virtual-modules.ts';

/** The fields of `flue.config.ts`; one that is given here wins over the file (CFG-11). */
export interface FlueOptions extends FlueConfig {
  /** the project's root; default: what the bundler takes as its own */
  root?: string;
  /** instead of the file found in the root */
  configFile?: string;
}

/** The plugin, and what a host has to tell it. */
export interface FluePlugin {
  readonly hooks: UnpluginOptions;
  setRoot(root: string): void;
  /** Compile and report; throws where the project has errors. Part of `hooks`, for hosts that have to call it earlier. */
  begin(): Promise<void>;
  /** A file that the host watches was edited, came or went. */
  changed(file: string): void;
  /** Whether the id is an agent module of the project, so that a build for browsers may not reach it (BIND-09). */
  isAgentModule(id: string): boolean;
  /** What to tell a build for browsers that reaches the modules; `undefined` when there are none. */
  refuseInBrowser(reached: Iterable<string>, importersOf: ImportersOf): string | undefined;
  /** Text of the manifest that stands beside the server (EMIT-11); `undefined` where no module asked for the agents. */
  manifest(): string | undefined;
}

/** What is wrong with a skill's files (SKILL-12, SKILL-13). */
const SKILL_RULES: readonly string[] = ['FLUE3202', 'FLUE3204'];

const RESOLVED = '\0flue:';

export function resolvedId(id: VirtualId): string {
  return RESOLVED + id;
}

/**
 * What every bundler does with Flue: compiles the project before anything is bundled, reports what the compiler found,
 * serves the virtual modules, packages skills and binds the identities of agent modules.
 */
export function createFluePlugin({ root: givenRoot, configFile, ...inline }: FlueOptions = {}): FluePlugin {
  let root = givenRoot ?? process.cwd();
  let builds: Builds | undefined;
  let built: Built | undefined;
  let skillErrors: Built['diagnostics'] | undefined;
  let agents: ReadonlyMap<string, readonly BoundAgent[]> = new Map();
  /** Files have changed since the last build; a development server asks for one module at a time, and begins no other. */
  let stale = false;
  let renewing: Promise<unknown> | undefined;

  async function open(): Promise<Builds> {
    const { project } = await loadProject({ root, inline, ...(configFile !== undefined && { configFile }) });
    return openBuilds(project);
  }

  async function build(): Promise<Built> {
    stale = false;
    builds ??= await open();
    built = await builds.build();
    skillErrors = undefined;
    agents = agentsByFile(built);
    return built;
  }

  async function renew(): Promise<void> {
    if (stale) renewing = build();
    await renewing;
  }

  /** What lies in a skill's folder is asked for where one is packaged, and again once something changed. */
  async function refuseBadSkills(): Promise<void> {
    builds ??= await open();
    skillErrors ??= (await builds.withSurroundings()).diagnostics.filter(
      ({ severity, code }) => severity === 'error' && SKILL_RULES.includes(code),
    );
    if (skillErrors.length > 0) throw new BuildFailure(report(built ?? (await build()), skillErrors));
  }

  async function begin(): Promise<void> {
    const result = await build();
    const warnings = result.diagnostics.filter(({ severity }) => severity === 'warning');
    const broken = describeFailures(result.failures);
    if (broken !== undefined) console.warn(broken);
    const errors = result.diagnostics.filter(({ severity }) => severity === 'error');
    if (warnings.length > 0) console.warn(report(result, warnings));
    if (errors.length > 0) throw new BuildFailure(report(result, errors));
  }

  function changed(file: string): void {
    builds?.changed([posix(relative(root, file))]);
    stale = true;
    skillErrors = undefined;
  }

  const isAgentModule = (id: string) => agents.has(moduleId(id));

  const hooks: UnpluginOptions = {
    name: 'flue',
    enforce: 'pre',
    buildStart: begin,
    watchChange: changed,
    resolveId(id) {
      if (isVirtual(id)) return resolvedId(id);
      return id.startsWith(RESOLVED) ? id : undefined;
    },
    loadInclude: (id) => id.startsWith(RESOLVED) || isMarkdown(id),
    async load(id) {
      const { project } = built ?? (await build());
      if (isMarkdown(id)) {
        if (isSkill(id)) await refuseBadSkills();
        const module = markdownModule(id, project.root);
        if ('problem' in module) {
          this.error(module.problem);
          return undefined;
        }
        for (const file of module.files) this.addWatchFile(file);
        return module.code;
      }
      neverCache(this);
      const module = await virtualModule(id.slice(RESOLVED.length) as VirtualId, project, builds!);
      if ('problem' in module) {
        this.error(module.problem);
        return undefined;
      }
      return module.code;
    },
    // An id with a query is another module of the same file, such as its text (BIND-09).
    transformInclude: (id) => stale || isAgentModule(id),
    async transform(code, id) {
      await renew();
      const bound = agents.get(moduleId(id));
      return bound && bindIdentities(code, bound, id);
    },
  };
  return {
    hooks,
    begin,
    changed,
    isAgentModule,
    refuseInBrowser: (reached, importersOf) => refusedInBrowser(reached, importersOf, root),
    setRoot(hostRoot) {
      root = givenRoot ?? hostRoot;
    },
    manifest: () => builds?.manifestText(),
  };
}

/** What a scan of the project gives rests on no file alone: a cache of the bundler's own would keep it for ever (BIND-11). */
function neverCache(context: UnpluginBuildContext): void {
  const native = context.getNativeBuildContext?.();
  if (native?.framework === 'webpack' || native?.framework === 'rspack')
    native.loaderContext?.cacheable?.(false);
}

function agentsByFile({ project, agents }: Built): Map<string, BoundAgent[]> {
  const files = new Map<string, BoundAgent[]>();
  for (const { module, function: local, identity } of agents) {
    const file = moduleId(`${project.root}/${module}`);
    files.set(file, [...(files.get(file) ?? []), { local, identity }]);
  }
  return files;
}

function report(result: Built, diagnostics: Built['diagnostics']): string {
  const found = { ...result, diagnostics, agents: result.agents.length, durationMs: 0 };
  return prettyReport(found, { color: false, verbose: false });
}

/** The author's mistake in the author's terms: bundlers print a stack where there is one. */
class BuildFailure extends Error {
  override readonly name = 'FlueBuildError';

  constructor(report: string) {
    super(`Flue found errors in the project.\n\n${report}`);
    this.stack = this.message;
  }
}
