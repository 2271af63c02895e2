import type { UnpluginOptions } from 'unplugin';
import { type FluePlugin, resolvedId } from './plugin.ts';
import { isVirtual, MANIFEST_FILE } from './virtual-modules.ts';

/** What webpack and Rspack share of all that is used here. */
interface Compiler {
  readonly context: string;
  readonly options: { module: { rules: unknown[] } };
  readonly platform: {
    readonly web?: boolean | null;
    readonly webworker?: boolean | null;
    readonly node?: boolean | null;
  };
  readonly modifiedFiles?: ReadonlySet<string> | undefined;
  readonly removedFiles?: ReadonlySet<string> | undefined;
  readonly hooks: {
    readonly beforeCompile: { tapPromise(name: string, run: () => Promise<void>): void };
    readonly thisCompilation: {
      tap(
        name: string,
        run: (compilation: Compilation, params: { normalModuleFactory: ModuleFactory }) => void,
      ): void;
    };
  };
  readonly webpack: {
    readonly Compilation: { readonly PROCESS_ASSETS_STAGE_ADDITIONAL: number };
    readonly sources: { readonly RawSource: new (text: string) => unknown };
  };
}

interface ModuleFactory {
  readonly hooks: {
    readonly beforeResolve: { tap(name: string, run: (data: { request: string }) => void): void };
  };
}

/** A module of a file has a `resource` as well. */
interface Module {
  identifier(): string;
}

interface Compilation {
  readonly modules: Iterable<Module>;
  readonly errors: unknown[];
  readonly moduleGraph: { getIssuer(module: never): Module | null | undefined };
  readonly hooks: {
    readonly finishModules: { tap(name: string, run: () => void): void };
    readonly processAssets: { tap(at: { name: string; stage: number }, run: () => void): void };
  };
  emitAsset(file: string, source: unknown): void;
}

const NAME = 'flue';
const SERVER = encodeURIComponent('virtual:flue/server');

/** What comes to webpack and Rspack besides the hooks that all bundlers have. */
export function applyFlue(plugin: FluePlugin, compiler: Compiler): void {
  plugin.setRoot(compiler.context);
  // Before anything is resolved: their own `buildStart` runs beside the first modules, which would miss the agents.
  compiler.hooks.beforeCompile.tapPromise(NAME, async () => {
    for (const file of [...(compiler.modifiedFiles ?? []), ...(compiler.removedFiles ?? [])])
      plugin.changed(file);
    await plugin.begin();
  });
  // The server finds the manifest beside itself when it runs: neither is a module of the build.
  compiler.options.module.rules.push({ resource: isServer, parser: { importMeta: false, url: false } });
  compiler.hooks.thisCompilation.tap(NAME, (compilation, { normalModuleFactory }) => {
    normalModuleFactory.hooks.beforeResolve.tap(NAME, (data) => {
      if (isVirtual(data.request)) data.request = resolvedId(data.request);
    });
    if (isForBrowsers(compiler)) {
      compilation.hooks.finishModules.tap(NAME, () => {
        const problem = reachesAgents(plugin, compilation);
        if (problem !== undefined)
          compilation.errors.push(Object.assign(new Error(problem), { stack: problem }));
      });
    }
    const { Compilation, sources } = compiler.webpack;
    const at = { name: NAME, stage: Compilation.PROCESS_ASSETS_STAGE_ADDITIONAL };
    compilation.hooks.processAssets.tap(at, () => {
      const manifest = plugin.manifest();
      const serves = [...compilation.modules].some((module) => isServer(resourceOf(module) ?? ''));
      if (manifest !== undefined && serves)
        compilation.emitAsset(MANIFEST_FILE, new sources.RawSource(manifest));
    });
  });
}

/** Known only once a compilation begins. Workers of a server's kind count as browsers of a sort, and run agents. */
function isForBrowsers({ platform }: Compiler): boolean {
  return platform.web === true && platform.webworker !== true && platform.node !== true;
}

/** The hooks of all bundlers, without those that are called above. */
export function hooksFor({ hooks }: FluePlugin): UnpluginOptions {
  const { buildStart, watchChange, ...rest } = hooks;
  return rest;
}

function resourceOf(module: Module | null | undefined): string | undefined {
  return (module as { readonly resource?: string } | null | undefined)?.resource;
}

function isServer(resource: string): boolean {
  return resource.includes(SERVER);
}

function reachesAgents(plugin: FluePlugin, { modules, moduleGraph }: Compilation): string | undefined {
  const issuers = new Map<string, string>();
  const reached: string[] = [];
  for (const module of modules) {
    const resource = resourceOf(module);
    if (resource === undefined) continue;
    if (plugin.isAgentModule(resource)) reached.push(resource);
    const issuer = resourceOf(moduleGraph.getIssuer(module as never));
    if (issuer !== undefined) issuers.set(resource, issuer);
  }
  return plugin.refuseInBrowser(reached, (id) => (issuers.has(id) ? [issuers.get(id)!] : []));
}
