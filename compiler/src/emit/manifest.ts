import {
  compareCodeUnits,
  durableNames,
  MANIFEST_VERSION,
  type Manifest,
  type ManifestAgent,
  manifestHash,
} from '@flue/runtime/internal';
import type { Analysis } from '../analysis/analyse.ts';
import { describeEdges } from '../analysis/compose/edges.ts';
import { describeMcpServers } from '../analysis/compose/mcp-servers.ts';
import type { AgentFact, ModuleFact } from '../analysis/summary.ts';
import { accessorNames } from './accessors.ts';
import { closureOf } from './closure.ts';
import { COMPILER_VERSION, GENERATED_NOTICE } from './compiler-version.ts';
import { closureHash, sha256, sourceHash } from './hashes.ts';
import * as print from './manifest-facts.ts';
import type { PackagedSkill } from './packaged-skill.ts';
import type { SchemaReader } from './schema-reader.ts';

/** What the manifest needs besides the analysis. */
export interface ManifestContext {
  readonly target: 'node' | 'cloudflare';
  /** POSIX, relative to the project root; `.` for the root itself */
  readonly sourceRoot: string;
  /** resolved versions of the Flue packages, Valibot and its converter */
  readonly versions: Readonly<Record<string, string>>;
  readonly schemas: SchemaReader;
  /** where the application's entry mounts agents; absent when there is no entry (TRTE-05) */
  readonly mounts?: ReadonlyMap<AgentFact, ManifestAgent['mounts']>;
  /** skills that can be packaged, by project path of their `SKILL.md` */
  readonly skills: ReadonlyMap<string, PackagedSkill>;
  /** text of a module or an imported asset, by project path */
  text(path: string): string | undefined;
  /** how a module is named in the manifest; one outside the root by its package (MAN-10) */
  readonly moduleName: (path: string) => { readonly path: string; readonly external?: true };
}

/** Everything that the compiler knows about the application, from facts alone (MAN-01). */
export function emitManifest(analysis: Analysis, context: ManifestContext): Manifest {
  const content = {
    manifestVersion: MANIFEST_VERSION,
    compiler: COMPILER_VERSION,
    requires: `^${COMPILER_VERSION}`,
    target: context.target,
    sourceRoot: context.sourceRoot,
    agents: agentEntries(analysis, context),
    skills: skillEntries(analysis, context),
    mcpServers: mcpEntries(analysis, context),
    models: modelEntries(analysis.agents),
    graph: edgeEntries(analysis, context),
    modules: moduleEntries(analysis, context),
  } satisfies Omit<Manifest, '$generated' | 'hash'>;
  return { $generated: GENERATED_NOTICE, ...content, hash: manifestHash(content, sha256) };
}

function agentEntries(analysis: Analysis, context: ManifestContext): ManifestAgent[] {
  const modules = new Map(analysis.modules.map((module) => [module.path, module]));
  const accessors = accessorNames(analysis.agents);
  const printer = print.factPrinter(context);
  return analysis.agents.map((agent) => {
    const { path: module, ...external } = context.moduleName(agent.module);
    return {
      identity: agent.identity,
      identityFrom: agent.identityFrom,
      module,
      ...external,
      export: agent.export,
      function: agent.function,
      span: print.span(agent.span),
      accessor: accessors.get(agent) ?? agent.export,
      sourceHash: hashOf(agent.module, context),
      closureHash: closureHashOf(agent.module, modules, context),
      durable: durableNames(agent.identity),
      statics: printer.statics(agent.statics),
      model: printer.model(agent.model),
      sandbox: printer.sandbox(agent.sandbox),
      hooks: agent.hooks.map(printer.hook),
      tools: agent.tools.map(printer.tool),
      skills: agent.skills.map(printer.skill),
      subagents: agent.subagents.map(printer.subagent),
      states: agent.states.map(printer.state),
      dataParts: agent.dataParts.map(printer.dataPart),
      mounts: context.mounts?.get(agent) ?? [],
      complete: agent.complete,
    };
  });
}

function modelEntries(agents: readonly AgentFact[]): Manifest['models'] {
  const users = new Map<string, string[]>();
  for (const { identity, model } of agents) {
    for (const specifier of model.specifiers) {
      users.set(specifier, [...(users.get(specifier) ?? []), identity]);
    }
  }
  return [...users]
    .sort(([a], [b]) => compareCodeUnits(a, b))
    .map(([specifier, identities]) => ({ specifier, agents: identities, source: null }));
}

/** The skills that some agent's modules import (MAN-01). */
function skillEntries(analysis: Analysis, context: ManifestContext): Manifest['skills'] {
  const modules = new Map(analysis.modules.map((module) => [module.path, module]));
  const imported = analysis.agents.flatMap(({ module }) => [...closureOf(module, modules).assets]);
  return [...new Set(imported)]
    .flatMap((path) => {
      const skill = context.skills.get(path);
      if (skill === undefined) return [];
      const { id, name, description, files } = skill;
      const { path: module } = context.moduleName(path);
      return [
        { id, name, description, module, files: files.map((file) => ({ path: file.path, hash: file.hash })) },
      ];
    })
    .sort((a, b) => compareCodeUnits(a.module, b.module));
}

function mcpEntries(analysis: Analysis, { moduleName }: ManifestContext): Manifest['mcpServers'] {
  return describeMcpServers(analysis.project, analysis.agents).map(({ name, url, agents, span }) => ({
    name: print.slot(name),
    url: print.slot(url),
    module: moduleName(span.path).path,
    span: print.span(span),
    agents: [...agents],
  }));
}

function edgeEntries(analysis: Analysis, { moduleName }: ManifestContext): Manifest['graph'] {
  return describeEdges(analysis.project).map(({ from, to, span, ...edge }) => ({
    ...edge,
    from: 'agent' in from ? { agent: from.agent } : { module: moduleName(from.module).path },
    to: print.slot(to),
    module: moduleName(span.path).path,
    span: print.span(span),
  }));
}

/** Every module that an agent reaches; what else was checked says nothing about the agents. */
function moduleEntries(analysis: Analysis, context: ManifestContext): Manifest['modules'] {
  const modules = new Map(analysis.modules.map((module) => [module.path, module]));
  const reached = analysis.agents.flatMap(({ module }) => [...closureOf(module, modules).modules]);
  return [...new Set(reached)]
    .map((path) => ({ ...context.moduleName(path), hash: hashOf(path, context) }))
    .sort((a, b) => compareCodeUnits(a.path, b.path));
}

function hashOf(path: string, context: ManifestContext): string {
  return sourceHash(context.text(path) ?? '');
}

function closureHashOf(
  path: string,
  modules: ReadonlyMap<string, ModuleFact>,
  context: ManifestContext,
): string {
  const closure = closureOf(path, modules);
  const files = [...closure.modules, ...closure.assets].flatMap((each) => {
    const { path: name } = context.moduleName(each);
    const skill = context.skills.get(each);
    if (skill === undefined) return [[name, hashOf(each, context)] as const];
    return skill.files.map((file) => [`${name.replace(/SKILL\.md$/, '')}${file.path}`, file.hash] as const);
  });
  return closureHash(files, context.versions);
}
