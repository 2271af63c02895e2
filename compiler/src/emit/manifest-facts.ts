import type {
  Dynamic,
  ManifestAgent,
  ManifestDataPart,
  ManifestHookUse,
  ManifestSkillMount,
  ManifestState,
  ManifestSubagent,
  ManifestToolEntry,
} from '@flue/runtime/internal';
import type { Span } from '../analysis/diagnostic.ts';
import type * as fact from '../analysis/summary.ts';
import { manifestSpan as span } from './manifest-span.ts';
import type { PackagedSkill } from './packaged-skill.ts';
import type { SchemaReader } from './schema-reader.ts';

export { slot, span };

/** Longer descriptions are cut in the manifest; the runtime's stay whole (MAN-12). */
const DESCRIPTION_LIMIT = 2000;

export interface FactContext {
  readonly schemas: SchemaReader;
  /** by project path of their `SKILL.md` */
  readonly skills: ReadonlyMap<string, PackagedSkill>;
  readonly moduleName: (path: string) => { readonly path: string; readonly external?: true };
}

/** How each fact of an agent is written (MAN-02 to MAN-08). */
export function factPrinter(context: FactContext) {
  const { schemas, skills, moduleName } = context;
  const schema = (ref: fact.SchemaRef | null) => (ref === null ? null : schemas.slot(ref.span));

  const mounted = (declared: Mounted, at: Span = declared.span) => ({
    presence: declared.presence,
    ...(declared.stability !== undefined && { stability: declared.stability }),
    module: moduleName(at.path).path,
    span: span(at),
    via: [...declared.via],
  });

  const hook = (use: fact.HookFact): ManifestHookUse => ({
    hook: use.hook,
    ...(use.name !== undefined && { name: slot(use.name) }),
    ...mounted(use),
  });

  const tool = (use: fact.ToolFact): ManifestToolEntry => {
    if (use.mcp !== undefined) return { mcp: slot(use.mcp.server), ...mounted(use) };
    const { external } = moduleName(use.definition.path);
    return {
      name: slot(use.name),
      ...description(use.description),
      harness: use.known ? use.harness : null,
      durable: use.known ? use.durable : null,
      parallel: use.known ? use.parallel : null,
      input: schema(use.input),
      output: schema(use.output),
      steps: [...use.steps],
      ...(use.export !== undefined && { export: use.export }),
      ...(external && { external }),
      ...mounted(use, use.definition),
    };
  };

  const skill = (use: fact.SkillFact): ManifestSkillMount => {
    const packaged = use.asset === undefined ? undefined : skills.get(use.asset);
    return {
      name: packaged?.name ?? slot(use.name),
      kind: use.kind,
      ...(packaged !== undefined && { skill: packaged.id }),
      ...mounted(use),
    };
  };

  const subagent = (use: fact.SubagentFact): ManifestSubagent => ({
    name: slot(use.name),
    description: slot(use.description),
    model: use.model && slot(use.model),
    thinkingLevel: use.thinkingLevel && slot(use.thinkingLevel),
    ...mounted(use),
    agent:
      use.agent === 'dynamic'
        ? { dynamic: true, reason: 'opaque-call', span: span(use.span) }
        : { ...use.agent, module: moduleName(use.agent.module).path },
    tools: use.tools.map(tool),
    skills: use.skills.map(skill),
    subagents: use.subagents.map(subagent),
  });

  const state = (use: fact.StateFact): ManifestState => ({
    name: slot(use.name),
    default: boxed(use.default),
    ...mounted(use),
  });

  const dataPart = (use: fact.DataPartFact): ManifestDataPart => ({
    name: slot(use.name),
    schema: schema(use.schema),
    ...mounted(use),
  });

  const statics = ({ agentName, durability, initialData }: fact.StaticsFact): ManifestAgent['statics'] => ({
    ...(agentName !== undefined && { agentName }),
    ...(durability !== null && { durability: boxed(durability as fact.Slot<Record<string, fact.Json>>) }),
    ...(initialData !== null && {
      initialData: {
        ...schemas.slot(initialData.span),
        acceptsUndefined: schemas.acceptsUndefined(initialData.span),
      },
    }),
  });

  const model = (use: fact.ModelFact): ManifestAgent['model'] => ({
    presence: use.presence,
    specifiers: [...use.specifiers],
    dynamic: use.dynamic,
    ...(use.thinkingLevel !== null && { thinkingLevel: slot(use.thinkingLevel) }),
    ...(use.compaction !== null && { compaction: boxed(use.compaction) }),
  });

  const sandbox = (use: fact.SandboxFact | null): ManifestAgent['sandbox'] =>
    use === null ? { presence: 'never' } : { presence: use.presence, factory: factory(use) };

  return { hook, tool, skill, subagent, state, dataPart, statics, model, sandbox };
}

interface Mounted {
  readonly presence: fact.Presence;
  readonly stability?: fact.Stability;
  readonly via: readonly string[];
  readonly span: Span;
}

function slot(value: fact.Slot<string>): string | Dynamic {
  return value.static ? value.value : dynamic(value);
}

/** A static value of any shape stands in a box, so that no object of the author's reads like our `dynamic`. */
function boxed<T>(value: fact.Slot<T>): { value: T } | Dynamic {
  return value.static ? { value: value.value } : dynamic(value);
}

function dynamic(value: { readonly reason: fact.DynamicReason; readonly span: Span }): Dynamic {
  return { dynamic: true, reason: value.reason, span: span(value.span) };
}

function description(value: fact.Slot<string>): { description: string | Dynamic; descriptionCut?: true } {
  const printed = slot(value);
  if (typeof printed !== 'string' || printed.length <= DESCRIPTION_LIMIT) return { description: printed };
  return { description: printed.slice(0, DESCRIPTION_LIMIT), descriptionCut: true };
}

function factory(use: fact.SandboxFact): NonNullable<ManifestAgent['sandbox']['factory']> {
  if (use.factory === 'dynamic') return { dynamic: true, reason: 'opaque-call', span: span(use.span) };
  if (use.factory === 'default' || use.factory === 'local' || use.factory === 'bash') return use.factory;
  const at = use.factory.lastIndexOf('#');
  return { specifier: use.factory.slice(0, at), export: use.factory.slice(at + 1) };
}
