import { compareText, type Span } from '../diagnostic.ts';
import { spanOf } from '../position.ts';
import type { Module } from '../program.ts';
import type {
  AgentFact,
  DataPartFact,
  HookFact,
  ModelFact,
  ModuleFact,
  SandboxFact,
  SkillFact,
  StateFact,
  StaticsFact,
  SubagentFact,
  ToolFact,
} from '../summary.ts';
import { type Agent, agentsOf } from './agents.ts';
import { fieldsOf, type ObjectTerm } from './fields.ts';
import { declaredName } from './linker.ts';
import type { Project } from './project.ts';
import { argumentSpan, declaredAt, fieldSpan, jsonSlot, presenceOf, schemaRef, textSlot } from './slots.ts';
import { calledApi, rootOf, type Term } from './term.ts';
import type { Count } from './world.ts';

/** Delegates within delegates that are described (MAN-06). */
const MAX_NESTING = 4;

type Frame = Pick<Agent, 'module' | 'fn'>;

/** The registered agents as the manifest lists them (MAN-02): ascending by identity, then module. */
export function describeAgents(project: Project): AgentFact[] {
  const { facts } = project.memory;
  for (const part of project.parts) {
    const agents = part.modules.flatMap(agentsOf);
    if (agents.every((agent) => facts.has(agent))) continue;
    const known = project.partMemory?.recall<readonly AgentFact[]>(part, 'agents');
    for (const [index, agent] of agents.entries())
      facts.set(agent, known?.[index] ?? facts.get(agent) ?? describeAgent(project, agent));
    if (!known)
      project.partMemory?.keep(
        part,
        'agents',
        agents.map((agent) => facts.get(agent)),
      );
  }
  return project.agents
    .map((agent) => facts.get(agent)!)
    .sort(
      (a, b) =>
        compareText(a.identity, b.identity) || compareText(a.module, b.module) || a.span.start - b.span.start,
    );
}

const moduleFacts = new WeakMap<Module, ModuleFact>();

export function describeModules(project: Project): ModuleFact[] {
  return project.modules.map((module) => {
    const known = moduleFacts.get(module);
    if (known) return known;
    const imports = new Set<string>();
    const assets = new Set<string>();
    for (const { specifier, typeOnly } of module.imports) {
      const resolution = typeOnly ? undefined : module.resolutions[specifier];
      if (resolution?.kind === 'project') imports.add(resolution.path);
      else if (resolution?.kind === 'asset' && resolution.path !== undefined) assets.add(resolution.path);
    }
    const fact: ModuleFact = {
      path: module.path,
      marked: module.marked,
      imports: [...imports].sort(compareText),
      assets: [...assets].sort(compareText),
      parsed: module.problems.length === 0,
    };
    moduleFacts.set(module, fact);
    return fact;
  });
}

function describeAgent(project: Project, agent: Agent): AgentFact {
  const frame = describeFrame(project, agent, 0, []);
  return {
    identity: agent.identity,
    identityFrom: agent.identityFrom,
    module: agent.module.path,
    export: agent.export,
    function: agent.binding.name,
    span: spanOf(agent.module, agent.binding.range),
    statics: describeStatics(project, agent),
    ...frame,
  };
}

function describeStatics(project: Project, agent: Agent): StaticsFact {
  const { evaluator } = project.linker;
  const last = (name: string) => agent.statics.findLast((entry) => entry.name === name)?.assignment;
  const durability = last('durability');
  const initialData = last('initialData');
  return {
    ...(agent.identityFrom === 'agentName' ? { agentName: agent.identity } : {}),
    durability: durability
      ? jsonSlot(
          evaluator,
          evaluator.evaluate(agent.module, durability.value),
          spanOf(agent.module, durability.value),
        )
      : null,
    initialData: initialData ? { span: spanOf(agent.module, initialData.value) } : null,
  };
}

type FrameFacts = Omit<
  AgentFact,
  'identity' | 'identityFrom' | 'module' | 'export' | 'function' | 'span' | 'statics'
>;

/** What a rendered function declares, through all custom hooks. */
function describeFrame(project: Project, frame: Frame, depth: number, open: readonly string[]): FrameFacts {
  const { evaluator } = project.linker;
  const summary = project.linker.flowOf(frame.module, frame.fn.id);
  const counts = summary.exit ? [...summary.exit.counts] : [];
  const sites = counts.filter(([key, count]) => key === count.first.site).map(([, count]) => count);
  const hooks = sites.filter((count) => count.first.kind === 'hook').sort(bySource);
  const calls = (name: string) => hooks.filter((count) => count.first.name === name);
  const unclear = sites.some(
    ({ first }) => first.kind === 'opaque' || (first.kind === 'invoke' && !isOwnProps(frame, first.target)),
  );
  return {
    model: describeModel(project, counts, calls('useModel')),
    sandbox: describeSandbox(frame, calls('useSandbox')[0]),
    hooks: hooks.map((count): HookFact => {
      const name = declaredName(evaluator, count.first);
      return {
        hook: count.first.name,
        ...(name ? { name: textSlot(name, argumentSpan(count.first, 0)) } : {}),
        ...declaredAt(frame, count.first, count),
      };
    }),
    tools: calls('useTool').flatMap((count) => describeTools(project, frame, count)),
    skills: calls('useSkill').map((count) => describeSkill(project, frame, count)),
    subagents: calls('useSubagent').map((count) => describeSubagent(project, frame, count, depth, open)),
    states: calls('usePersistentState').map(
      (count): StateFact => ({
        name: textSlot(count.first.args[0], argumentSpan(count.first, 0)),
        default: jsonSlot(evaluator, count.first.args[1], argumentSpan(count.first, 1)),
        ...declaredAt(frame, count.first, count),
      }),
    ),
    dataParts: calls('useDataWriter').map((count): DataPartFact => {
      const options = count.first.args[1];
      const schema = options?.t === 'object' ? fieldsOf(evaluator, options).byName.get('schema') : undefined;
      return {
        name: textSlot(count.first.args[0], argumentSpan(count.first, 0)),
        schema: schemaRef(schema),
        ...declaredAt(frame, count.first, count),
      };
    }),
    complete: summary.limited === undefined && !unclear,
  };
}

function isOwnProps(frame: Frame, target: Term | undefined): boolean {
  const root = target && rootOf(target);
  return root?.t === 'param' && root.fn === frame.fn.id && root.module === frame.module && root.index === 0;
}

function bySource(a: Count, b: Count): number {
  return (
    compareText(a.first.module.path, b.first.module.path) ||
    a.first.call.start - b.first.call.start ||
    compareText(a.first.site, b.first.site)
  );
}

function describeModel(
  project: Project,
  counts: readonly (readonly [string, Count])[],
  calls: readonly Count[],
): ModelFact {
  const { evaluator } = project.linker;
  const all = counts.find(([key]) => key === 'useModel')?.[1];
  const specifiers = new Set<string>();
  let dynamic = false;
  for (const { first } of calls) {
    const argument = first.args[0];
    for (const option of argument?.t === 'choice' ? argument.options : [argument]) {
      if (option?.t === 'literal' && typeof option.value === 'string') specifiers.add(option.value);
      else dynamic = true;
    }
  }
  const event = calls[0]?.first;
  const options = event?.args[1];
  const fields = options?.t === 'object' ? fieldsOf(evaluator, options).byName : undefined;
  const thinking = fields?.get('thinkingLevel');
  const compaction = fields?.get('compaction');
  return {
    presence: all ? presenceOf(all) : 'never',
    specifiers: [...specifiers].sort(compareText),
    dynamic,
    thinkingLevel: thinking ? textSlot(thinking.term, fieldSpan(thinking)) : null,
    compaction: compaction ? jsonSlot(evaluator, compaction.term, fieldSpan(compaction)) : null,
  };
}

function describeSandbox(frame: Frame, count: Count | undefined): SandboxFact | null {
  if (!count) return null;
  const factory = count.first.args[0];
  const made = factory?.t === 'call' ? factory.callee : factory;
  let name = 'dynamic';
  if (made?.t === 'api') name = made.name;
  else if (made?.t === 'external' && made.source !== 'globalThis') name = `${made.source}#${made.name}`;
  return { factory: name, ...declaredAt(frame, count.first, count) };
}

function describeTools(project: Project, frame: Frame, count: Count): ToolFact[] {
  const argument = count.first.args[0];
  const options = argument?.t === 'choice' ? argument.options : [argument];
  const facts = options.map((option) => describeTool(project, frame, count, option));
  // One of several tools is mounted by this call: none of them always.
  return facts.length === 1
    ? facts
    : facts.map((fact) => ({ ...fact, presence: 'sometimes', stability: fact.stability ?? 'unknown' }));
}

function describeTool(project: Project, frame: Frame, count: Count, term: Term | undefined): ToolFact {
  const { evaluator } = project.linker;
  const declared = declaredAt(frame, count.first, count);
  const at = argumentSpan(count.first, 0);
  if (term?.t !== 'object') {
    const none: Span = at;
    return {
      name: textSlot(term && evaluator.member(term, 'name'), at),
      description: textSlot(undefined, at),
      harness: false,
      durable: false,
      parallel: true,
      input: null,
      output: null,
      steps: [],
      definition: none,
      known: false,
      ...mcpOf(project, term, at),
      ...declared,
    };
  }
  const { byName, closed } = fieldsOf(evaluator, term);
  const flag = (name: string) => {
    const value = byName.get(name)?.term;
    return value?.t === 'literal' ? value.value : undefined;
  };
  const slot = (name: string) => {
    const field = byName.get(name);
    return textSlot(field?.term, field ? fieldSpan(field) : at);
  };
  const exported = exportOf(term);
  const run = byName.get('run');
  return {
    name: slot('name'),
    description: slot('description'),
    harness: flag('harness') === true,
    durable: flag('durable') === true,
    parallel: flag('parallel') !== false,
    input: schemaRef(byName.get('input')),
    output: schemaRef(byName.get('output')),
    ...(run && { run: fieldSpan(run) }),
    steps: stepsOf(project, run?.term),
    definition: spanOf(term.module, term.value),
    ...(exported === undefined ? {} : { export: exported }),
    known: closed,
    ...declared,
  };
}

function mcpOf(project: Project, term: Term | undefined, span: Span): Pick<ToolFact, 'mcp'> {
  const root = term && rootOf(term);
  if (root?.t !== 'call' || calledApi(root) !== 'connectMcpServer') return {};
  const [name] = project.linker.evaluator.argumentsOf(root.module, root.call, root.env);
  return { mcp: { server: textSlot(name, span), connection: spanOf(root.module, root.call) } };
}

/** The name under which a literal, as it stands or through `defineTool`, is exported from its module. */
function exportOf(term: ObjectTerm): string | undefined {
  const { module, value } = term;
  for (const entry of module.exports) {
    if (entry.kind !== 'local') continue;
    const { init, path } = module.bindings[entry.binding]!;
    if (!init || path) continue;
    const inner = init.k === 'call' ? module.calls[init.call]!.args[0]?.value : init;
    if (inner?.start === value.start && inner.end === value.end) return entry.name;
  }
  return undefined;
}

function stepsOf(project: Project, run: Term | undefined): string[] {
  if (run?.t !== 'function') return [];
  const { exit } = project.linker.flowOf(run.module, run.fn);
  const names: string[] = [];
  for (const [key, { first }] of exit?.counts ?? []) {
    if (first.kind !== 'step' || key !== first.site) continue;
    const name = first.args[0];
    let step: string | undefined;
    if (name?.t === 'literal' && typeof name.value === 'string') step = name.value;
    else if (name?.t === 'template') step = `${typeof name.parts[0] === 'string' ? name.parts[0] : ''}*`;
    if (step !== undefined && !names.includes(step)) names.push(step);
  }
  return names;
}

function describeSkill(project: Project, frame: Frame, count: Count): SkillFact {
  const term = count.first.args[0];
  const at = argumentSpan(count.first, 0);
  const declared = declaredAt(frame, count.first, count);
  if (term?.t === 'asset') {
    const asset = term.path === undefined ? {} : { asset: term.path };
    return { name: textSlot(undefined, at), kind: 'package', ...asset, ...declared };
  }
  return {
    name: textSlot(term && project.linker.evaluator.member(term, 'name'), at),
    kind: 'inline',
    ...declared,
  };
}

function describeSubagent(
  project: Project,
  frame: Frame,
  count: Count,
  depth: number,
  open: readonly string[],
): SubagentFact {
  const { evaluator } = project.linker;
  const term = count.first.args[0];
  const at = argumentSpan(count.first, 0);
  const fields = term?.t === 'object' ? fieldsOf(evaluator, term).byName : undefined;
  const slot = (name: string) => {
    const field = fields?.get(name);
    return field ? textSlot(field.term, fieldSpan(field)) : null;
  };
  const agent = fields?.get('agent')?.term;
  const inner =
    agent?.t === 'function' ? { module: agent.module, fn: agent.module.functions[agent.fn]! } : undefined;
  const key = inner && `${inner.module.path}#${inner.fn.id}`;
  const nested =
    inner && key && depth < MAX_NESTING && !open.includes(key)
      ? describeFrame(project, inner, depth + 1, [...open, key])
      : undefined;
  return {
    name: slot('name') ?? textSlot(undefined, at),
    description: slot('description') ?? textSlot(undefined, at),
    model: slot('model'),
    thinkingLevel: slot('thinkingLevel'),
    agent: inner ? describeDelegate(inner) : 'dynamic',
    tools: nested?.tools ?? [],
    skills: nested?.skills ?? [],
    subagents: nested?.subagents ?? [],
    ...declaredAt(frame, count.first, count),
  };
}

function describeDelegate({ module, fn }: { module: Module; fn: Frame['fn'] }) {
  const exported = module.exports.find((entry) => {
    if (entry.kind !== 'local') return false;
    const binding = module.bindings[entry.binding]!;
    return binding.fn === fn.id || (binding.init?.k === 'function' && binding.init.fn === fn.id);
  });
  return {
    module: module.path,
    ...(exported?.kind === 'local' ? { export: exported.name } : {}),
    ...(fn.name === undefined ? {} : { function: fn.name }),
  };
}
