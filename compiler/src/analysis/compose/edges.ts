import { compareText } from '../diagnostic.ts';
import { spanOf } from '../position.ts';
import { type Call, type Fn, type FunctionId, type Module, type Range, TOP_LEVEL } from '../program.ts';
import type { EdgeFact } from '../summary.ts';
import type { Agent } from './agents.ts';
import { writerOf } from './calls.ts';
import { agentOf, helperMountsOf } from './mounts.ts';
import type { Project } from './project.ts';
import { sendsOf } from './sends.ts';
import { textSlot } from './slots.ts';
import type { Term } from './term.ts';
import type { Event } from './world.ts';

/** Code of an agent that runs on its own: its render, the `run` of a tool, the callback of an event hook. */
interface Region {
  readonly where: string;
  readonly module: Module;
  readonly fn: Fn;
}

const EVENT_HOOKS = /^use(?:Agent|Response)(?:Start|Finish)$/;
const KINDS: Readonly<Record<string, EdgeFact['kind']>> = {
  dispatch: 'dispatch',
  init: 'init',
  getAgentInstance: 'lookup',
  createAgentRouter: 'mount',
};

/**
 * Who sends to, serves, delegates to or starts which agent (MAN-09), in source order. A call that several agents share,
 * through a tool or a custom hook, is one edge for each of them.
 */
export function describeEdges(project: Project): EdgeFact[] {
  const { evaluator } = project.linker;
  const awaitedHandles = handlesOf(project);
  const edges = new Map<string, EdgeFact>();
  const ofAgents = new Set<Call>();

  for (const agent of project.agents) {
    const from = { agent: agent.identity };
    const { regions, delegates } = regionsOf(project, agent);
    for (const { event, term } of delegates) {
      // A delegate that is no agent itself is described where it is mounted (MAN-06).
      for (const to of targetsOf(term, event.module, event.call))
        add(
          { from, to, kind: 'subagent', where: 'render', id: 'none', awaited: null },
          event.module,
          event.call,
        );
    }
    const roots = new Set(regions.map(({ fn }) => fn));
    for (const region of regions) {
      for (const { module, call } of callsWithin(project, region, roots)) {
        ofAgents.add(call);
        addCall(from, whereIn(project, region, module, call), module, call, agent);
      }
    }
  }
  for (const module of project.modules) {
    for (const call of module.calls) {
      if (ofAgents.has(call)) continue;
      const where = call.owner === TOP_LEVEL ? 'module' : 'handler';
      addCall({ module: module.path }, where, module, call, undefined);
    }
  }
  for (const { agent, module, range } of helperMountsOf(project)) {
    const to = { static: true, value: agent.identity, span: spanOf(module, range) } as const;
    const from = { module: module.path };
    add({ from, to, kind: 'mount', where: 'module', id: 'none', awaited: null }, module, range);
  }
  return [...edges.values()].sort(bySource);

  function addCall(
    from: EdgeFact['from'],
    where: string,
    module: Module,
    call: Call,
    agent: Agent | undefined,
  ): void {
    const callee = evaluator.evaluate(module, call.callee);
    if (agent && writerOf(callee) === 'useDispatchMessage') {
      const to = { static: true, value: agent.identity, span: spanOf(module, call) } as const;
      add({ from, to, kind: 'self', where, id: 'own', awaited: isAwaited(call) }, module, call);
    }
    if (callee.t !== 'api') return;
    const [target, options] = evaluator.argumentsOf(module, call, new Map());
    if (callee.name === 'start') {
      for (const to of startedBy(target, module, call))
        add({ from, to, kind: 'start', where, id: 'none', awaited: null }, module, call);
    }
    const kind = KINDS[callee.name];
    if (kind === undefined) return;
    const id = kind === 'mount' ? 'none' : idOf(options, agent);
    const awaited =
      kind === 'dispatch' ? isAwaited(call) : kind === 'init' ? (awaitedHandles.get(call) ?? null) : null;
    for (const to of targetsOf(target, module, call))
      add({ from, to, kind, where, id, awaited }, module, call);
  }

  function add(edge: Omit<EdgeFact, 'span'>, module: Module, range: Range): void {
    const span = spanOf(module, range);
    const to = edge.to.static ? edge.to.value : '';
    edges.set(JSON.stringify([module.path, range.start, edge.from, edge.kind, edge.where, to]), {
      ...edge,
      span,
    });
  }

  /** Registered agents; what is not in sight, as dynamic. A function that is no agent is a fault of its own (FLUE4001). */
  function targetsOf(term: Term | undefined, module: Module, range: Range): EdgeFact['to'][] {
    const options = term?.t === 'choice' ? term.options : [term];
    return options.flatMap((option): EdgeFact['to'][] => {
      const span = spanOf(module, range);
      if (option?.t === 'function') {
        const agent = agentOf(project, option);
        return agent ? [{ static: true, value: agent.identity, span }] : [];
      }
      return option === undefined || isNoAgent(option) ? [] : [textSlot(option, span)];
    });
  }

  /** The entries of `start({ agents })`; one with a name of its own goes by that. */
  function startedBy(options: Term | undefined, module: Module, call: Call): EdgeFact['to'][] {
    if (options === undefined) return [];
    const list = evaluator.member(options, 'agents');
    if (list.t !== 'array') return isNoAgent(list) ? [] : [textSlot(list, spanOf(module, call))];
    return list.items.flatMap((entry) => {
      if (entry.t !== 'object') return targetsOf(entry, module, call);
      const name = evaluator.member(entry, 'name');
      if (name.t === 'literal' && typeof name.value === 'string')
        return [textSlot(name, spanOf(module, call))];
      return targetsOf(evaluator.member(entry, 'agent'), module, call);
    });
  }

  /** The `id` of a request or of a handle. */
  function idOf(options: Term | undefined, agent: Agent | undefined): EdgeFact['id'] {
    if (options === undefined || (options.t === 'literal' && options.value === undefined)) return 'none';
    const id = evaluator.member(options, 'id');
    if (id.t === 'literal') return id.value === undefined ? 'none' : 'static';
    return agent && isOwnId(id, agent) ? 'own' : 'dynamic';
  }
}

function isNoAgent(term: Term): boolean {
  return term.t === 'literal' || term.t === 'object' || term.t === 'class' || term.t === 'api';
}

/** `props.id` of the agent itself. */
function isOwnId(id: Term, { module, fn }: Agent): boolean {
  if (id.t !== 'member' || id.name !== 'id' || id.object.t !== 'param') return false;
  const { object } = id;
  return object.module === module && object.fn === fn.id && object.index === 0;
}

function isAwaited({ use }: Call): boolean | null {
  return use === 'value' ? null : use === 'awaited';
}

/** By call of `init`: whether somebody waits for what is sent through its handle. */
function handlesOf(project: Project): ReadonlyMap<Call, boolean | null> {
  const awaited = new Map<Call, boolean | null>();
  for (const { handle, call } of sendsOf(project)) {
    if (!handle) continue;
    const before = awaited.get(handle.made);
    const now = isAwaited(call);
    awaited.set(handle.made, before === undefined ? now : before || now || (before === null ? null : now));
  }
  return awaited;
}

/** The code of an agent, its delegates' included. */
function regionsOf(
  project: Project,
  agent: Agent,
): {
  readonly regions: readonly Region[];
  readonly delegates: readonly { readonly event: Event; readonly term: Term }[];
} {
  const { evaluator } = project.linker;
  const regions: Region[] = [];
  const delegates: { event: Event; term: Term }[] = [];
  const open = new Set<Fn>();
  visit(agent.module, agent.fn);
  return { regions, delegates };

  function visit(module: Module, fn: Fn): void {
    if (open.has(fn)) return;
    open.add(fn);
    regions.push({ where: 'render', module, fn });
    for (const { first } of project.linker.flowOf(module, fn.id).exit?.counts.values() ?? []) {
      const [argument] = first.args;
      if (first.kind !== 'hook' || argument === undefined) continue;
      const options = argument.t === 'choice' ? argument.options : [argument];
      if (EVENT_HOOKS.test(first.name))
        for (const option of options) addRegion(`event:${first.name}`, option);
      else if (first.name === 'useTool') for (const option of options) addTool(option);
      else if (first.name === 'useSubagent') for (const option of options) addDelegate(first, option);
    }
  }

  function addRegion(where: string, term: Term): void {
    if (term.t === 'function')
      regions.push({ where, module: term.module, fn: term.module.functions[term.fn]! });
  }

  function addTool(term: Term): void {
    if (term.t !== 'object') return;
    const name = evaluator.member(term, 'name');
    const shown = name.t === 'literal' && typeof name.value === 'string' ? name.value : '*';
    addRegion(`tool:${shown}`, evaluator.member(term, 'run'));
  }

  function addDelegate(event: Event, definition: Term): void {
    if (definition.t !== 'object') return;
    const term = evaluator.member(definition, 'agent');
    delegates.push({ event, term });
    if (term.t === 'function') visit(term.module, term.module.functions[term.fn]!);
  }
}

/** Every call that the region may make: in itself, in functions within it, in functions of the project that these call. */
function callsWithin(
  { linker }: Project,
  region: Region,
  roots: ReadonlySet<Fn>,
): { readonly module: Module; readonly call: Call }[] {
  const found: { module: Module; call: Call }[] = [];
  const seen = new Set<Fn>();
  const enter = (module: Module, fn: Fn): void => {
    // What is another region says so itself.
    if (seen.has(fn) || (fn !== region.fn && roots.has(fn))) return;
    seen.add(fn);
    const { calls, functions } = contentsOf(module);
    for (const inner of functions.get(fn.id) ?? []) enter(module, inner);
    for (const call of calls.get(fn.id) ?? []) {
      found.push({ module, call });
      const callee = linker.evaluator.evaluate(module, call.callee);
      if (callee.t === 'function') enter(callee.module, callee.module.functions[callee.fn]!);
    }
  };
  enter(region.module, region.fn);
  return found;
}

interface Contents {
  readonly calls: ReadonlyMap<FunctionId, readonly Call[]>;
  readonly functions: ReadonlyMap<FunctionId, readonly Fn[]>;
}

const contents = new WeakMap<Module, Contents>();

/** Calls and functions by the function that they are written in. */
function contentsOf(module: Module): Contents {
  const known = contents.get(module) ?? {
    calls: groupedBy(module.calls, ({ owner }) => owner),
    functions: groupedBy(
      module.functions.filter(({ id }) => id !== TOP_LEVEL),
      ({ parent }) => parent,
    ),
  };
  contents.set(module, known);
  return known;
}

function groupedBy<T>(items: readonly T[], keyOf: (item: T) => FunctionId): ReadonlyMap<FunctionId, T[]> {
  const groups = new Map<FunctionId, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** What a render only hands over, to a timer or a listener, runs when it is over. */
function whereIn({ contexts }: Project, region: Region, module: Module, call: Call): string {
  if (region.where !== 'render') return region.where;
  return contexts.of(module, call.owner).kind === 'outside' ? 'handler' : 'render';
}

function bySource(a: EdgeFact, b: EdgeFact): number {
  const key = ({ from, kind, where, to }: EdgeFact) => JSON.stringify([from, kind, where, to]);
  return compareText(a.span.path, b.span.path) || a.span.start - b.span.start || compareText(key(a), key(b));
}
